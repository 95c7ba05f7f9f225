// Any text as the JSON of a record: either rejected with a one-line user error, or converted to a record file that the
// reader checks and that prints as JSON of the same bytes.
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/lab_records/lab_records.h"
#include "lib/lab_records/print_record.h"
#include "lib/record/record_json.h"
#include "lib/testing/fuzz.h"

namespace lockstep {
namespace {

// Returns the JSON printed for `bytes`, a record file; empty if the record file is rejected.
std::string Printed(const std::string& bytes) {
  const testing::MemoryFile file(bytes);
  PrintOptions options;
  options.format = PrintFormat::kJson;
  options.print_bytes = true;
  std::string out;
  std::ostringstream log;
  const auto print = [&out](absl::string_view text) {
    absl::StrAppend(&out, text);
    return absl::OkStatus();
  };
  const absl::Status status = PrintRecord(file.path(), options, print, log);
  if (!status.ok()) {
    testing::CheckUserError(status);
    return "";
  }
  return out;
}

void CheckJson(const std::string& json) {
  const absl::StatusOr<RecordOfJson> record = ReadRecordJson(json, "x.json");
  if (!record.ok()) {
    testing::CheckUserError(record.status());
    return;
  }
  const std::string printed = Printed(record->bytes);
  if (printed.empty()) {
    return;
  }
  const absl::StatusOr<RecordOfJson> again = ReadRecordJson(printed, "x.json");
  FUZZ_CHECK(again.ok() && again->bytes == record->bytes && again->changed == 0);
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string json(lockstep::testing::Bytes(data, size));
  lockstep::CheckJson(json);
  const lockstep::testing::MemoryFile file(json);
  const auto lab = lockstep::ReadLabRecords({file.path()});
  if (!lab.ok()) {
    lockstep::testing::CheckUserError(lab.status());
  }
  return 0;
}
