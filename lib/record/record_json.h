// Converts the JSON that `report --print=FILE --format=json` prints back to a record file.
#ifndef LOCKSTEP_LIB_RECORD_RECORD_JSON_H_
#define LOCKSTEP_LIB_RECORD_RECORD_JSON_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

struct RecordOfJson {
  std::string bytes;      // bytes of the record file, with newly computed checksums
  uint64_t changed = 0;   // number of records whose checksum differs from the JSON's: edited, or of another version
  uint64_t first = 0;     // number of the first of these records; the header is record 0
  uint64_t left_out = 0;  // number of bytes fields that the JSON gives only by digest; empty in `bytes`
};

// Parses the JSON and checks only its form, because the bytes are later read like any record file (record_reader.h). If
// no record was changed and no field left out, `bytes` equals the printed file, except for the order of a header's
// environment in files from before 2026-11-25. Hence a header with several entries there is not compared with its
// checksum. Fields may have the names of an earlier version (old_field_names.h). `schema` is the full name of the
// expected file message, or "" for any that the program links. Errors, each of one line that names `path`:
// - DataLoss: the text is not JSON, is cut off (with the command that makes it again), or is not a record's JSON.
// - FailedPrecondition: the JSON is that of another tool's record.
absl::StatusOr<RecordOfJson> ReadRecordJson(const std::string& json, const std::string& path,
                                            absl::string_view schema = "");

// Returns the remark that a person must see; empty: no remark.
std::string RemarkOn(const RecordOfJson& record, const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_RECORD_JSON_H_
