// Any ScaleFile as a record file: printed, and made into a report.
#include "lib/proto/scale.pb.h"
#include "lib/report/check_report_testing.h"
#include "lib/testing/proto_mutator.h"

FUZZ_PROTO_MUTATOR(lockstep::proto::ScaleFile)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lockstep::proto::ScaleFile file;
  lockstep::testing::CheckRecordFile(data, size, file);
  return 0;
}
