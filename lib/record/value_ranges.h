// Whether the numbers of a record can be what their names say. A checksum that is right says only that they are the
// numbers that were written: by a tool with a bug, by somebody's script, or by hand.
//
// A name has its unit (lib/proto), and the unit its range: seconds and rates are not negative, an accuracy is a
// fraction, a count of devices is not 0, and no number is NaN. What may be otherwise is listed in value_ranges.cc with
// the reason.
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

// Checks the records of one file, of any of the schemas, in their order: what a later record counts is held against the
// data set that an earlier one describes. Only audited numbers, which somebody else has printed, may be anything.
class ValueRanges {
 public:
  // DataLoss, without the file's name: "point.epoch_seconds.value[2] is -1; expected at least 0".
  absl::Status Check(const google::protobuf::Message& record);

 private:
  uint64_t training_images_ = 0;  // 0: not known
  uint64_t test_images_ = 0;
};

// `status` of the record with this number (the header is record 0) in the file at `path`, said so.
absl::Status AtRecord(const std::string& path, uint64_t number, const absl::Status& status);

// Checks all records of a file in memory (RecordFile::records, which leave out the header).
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
