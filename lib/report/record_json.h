// A record file from its JSON, as `report --print=FILE --format=json` writes it.
#ifndef LOCKSTEP_LIB_REPORT_RECORD_JSON_H_
#define LOCKSTEP_LIB_REPORT_RECORD_JSON_H_

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

struct RecordOfJson {
  std::string bytes;      // of the record file, with checksums of its own
  uint64_t changed = 0;   // records whose checksum is another than the JSON names: changed, or of another version
  uint64_t first = 0;     // the first of them; the header is record 0
  uint64_t left_out = 0;  // bytes fields that the JSON names by size and digest only; they are empty
};

// Nothing but its form is checked here: the bytes are read as any record file's (record_reader.h). When nothing was
// changed or left out, they are those of the file that was printed, but for the order of a header's environment in
// files of before 2026-11-25, whose header is therefore not held against its checksum. DataLoss: no JSON, cut off, or not that of a record;
// one line, which names `path`.
absl::StatusOr<RecordOfJson> ReadRecordJson(const std::string& json, const std::string& path);

// For RecordReader::OpenAny, where all bytes are wanted. FailedPrecondition: some are left out. Says on `talk`, which has to
// outlive it, what RemarkOn says.
std::function<absl::StatusOr<std::string>(const std::string& json)> WholeRecordOfJson(const std::string& path,
                                                                                      std::ostream& talk);

// What a person has to know of it; empty: nothing.
std::string RemarkOn(const RecordOfJson& record, const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_RECORD_JSON_H_
