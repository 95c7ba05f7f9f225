// A record file as JSON, or JSON as the record file that it was printed from: `report --convert=FILE`.
#ifndef LOCKSTEP_LIB_REPORT_CONVERT_RECORD_H_
#define LOCKSTEP_LIB_REPORT_CONVERT_RECORD_H_

#include <ostream>
#include <string>

#include "absl/status/status.h"

namespace lockstep {

struct ConvertOptions {
  std::string input;   // a record file or its JSON, of any tool
  std::string output;  // NAME.json or NAME.rec
  bool force = false;  // replace an output that is there
};

// Checks the records like any that are read: frames, counts, and what the numbers can be. JSON holds all bytes, so that
// it can be converted back; from record to JSON to record the bytes are the same. Says on `talk` when JSON was changed
// since it was printed.
//
// InvalidArgument: another ending, or an output that is there. FailedPrecondition: JSON that names bytes by their digest
// only. Others as RecordReader's and OutputFile's. On an error there is no output.
absl::Status ConvertRecord(const ConvertOptions& options, std::ostream& talk);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_CONVERT_RECORD_H_
