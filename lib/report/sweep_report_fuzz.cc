// Any SweepFile as a record file: printed, and made into a report.
#include "lib/proto/sweep.pb.h"
#include "lib/record/framed_records.h"
#include "lib/report/check_report.h"
#include "lib/testing/fuzz.h"
#include "lib/testing/proto_mutator.h"

FUZZ_PROTO_MUTATOR(lockstep::proto::SweepFile)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lockstep::proto::SweepFile file;
  if (!file.ParseFromArray(data, static_cast<int>(size))) {
    return 0;
  }
  file.DiscardUnknownFields();
  const std::string bytes = lockstep::testing::FramedRecords(file);
  FUZZ_CHECK(file.ParseFromString(bytes));
  lockstep::testing::CheckPrinted(bytes, file);
  lockstep::testing::CheckReport({bytes});
  return 0;
}
