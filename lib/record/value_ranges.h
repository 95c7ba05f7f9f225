// Checks that the numbers of a record are in the valid range of their fields. A right checksum proves only that the
// numbers are unchanged; the writer may have been a tool with a bug, a script or a person.
//
// The name of a field contains its unit (lib/proto), and the unit determines the range: seconds and rates are not
// negative, an accuracy is a fraction, a number of devices is not 0, and no number is NaN. value_ranges.cc lists the
// exceptions with their reasons.
#ifndef LOCKSTEP_LIB_RECORD_VALUE_RANGES_H_
#define LOCKSTEP_LIB_RECORD_VALUE_RANGES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/message.h"
#include "lib/base/status_macros.h"

namespace lockstep {

// Checker for the records of one file of any schema. The records must be checked in order, because the counts of later
// records are compared with the data set that an earlier record describes. Only audited numbers, which somebody else
// printed, may have any value.
class ValueRanges {
 public:
  // Returns DataLossError, without the file's name: "point.epoch_seconds.value[2] is -1; expected at least 0".
  absl::Status Check(const google::protobuf::Message& record);

 private:
  uint64_t training_images_ = 0;  // 0: unknown
  uint64_t test_images_ = 0;      // 0: unknown
};

// Returns `status` with the file's path and the record's number (the header is record 0) in the message.
absl::Status AtRecord(const std::string& path, uint64_t number, const absl::Status& status);

// Checks all records of a file in memory (RecordFile::records, which does not contain the header).
template <typename Record>
absl::Status CheckValueRanges(const std::string& path, const std::vector<Record>& records) {
  ValueRanges ranges;
  for (size_t i = 0; i < records.size(); ++i) {
    RETURN_IF_ERROR(AtRecord(path, i + 1, ranges.Check(records[i])));
  }
  return absl::OkStatus();
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_VALUE_RANGES_H_
