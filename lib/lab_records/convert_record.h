// Converts a record file to JSON, or JSON back to the record file that it was printed from: `report --convert=FILE`.
#ifndef LOCKSTEP_LIB_LAB_RECORDS_CONVERT_RECORD_H_
#define LOCKSTEP_LIB_LAB_RECORDS_CONVERT_RECORD_H_

#include <ostream>
#include <string>

#include "absl/status/status.h"

namespace lockstep {

struct ConvertOptions {
  std::string input;   // a record file or its JSON, of any tool
  std::string output;  // NAME.json or NAME.rec
  bool force = false;  // true: replace an existing output
};

// Checks the records like every reader: frames, counts, and the ranges of the numbers. The JSON holds all bytes, so a
// record that is converted to JSON and back has the same bytes. Prints on `log` if the JSON was changed after it was
// printed.
//
// Errors, after which there is no output:
// - InvalidArgument: `output` has another ending, or exists already.
// - FailedPrecondition: the JSON names bytes only by their digest.
// - Others: those of RecordReader and OutputFile.
absl::Status ConvertRecord(const ConvertOptions& options, std::ostream& log);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_RECORDS_CONVERT_RECORD_H_
