// Rules that decide whether a record may be replaced: a command replaces its own result, but another command's result
// only with --force.
#ifndef LOCKSTEP_LIB_RECORD_OTHER_RESULT_H_
#define LOCKSTEP_LIB_RECORD_OTHER_RESULT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/proto/header.pb.h"
#include "lib/record/replace_rule.h"

namespace lockstep {

// Returns the rule for the record that a command is about to write. `planned` is the header of this record,
// `other_outputs` are the files that the run writes together with the record. The rule refuses, and reports differences
// such as "--epochs: 5 -> 10", if
//     - the record at PATH is of another command: another flag, an input with another name and other bytes, other bytes
//       on standard input, another device, or another environment variable that changes results;
//     - PATH is neither empty nor a record, or a record of another tool or of an unknown version;
//     - PATH.part is the journal of another measured run, or of another tool, and holds a record after its header;
//     - a file of `other_outputs` exists, and neither PATH nor PATH.part is of this command. An empty PATH.part counts
//       as this command's.
// The rule returns true for a result with some of the command's points (grown_run.h), which RecordWriter::Resume keeps.
// The rule returns true for the command's own result, even if the result was made by another build, on a machine in
// another state, or from an input whose bytes have changed since, or if it is damaged or ended badly. In the first
// three cases the rule prints the reason on stderr.
ReplaceRule ReplaceOwnResult(const proto::Header& planned, const std::vector<std::string>& other_outputs = {});

// Returns the rule for a record that may replace any record of `schema`.
ReplaceRule ReplaceRecordOf(const std::string& schema);

// Returns true if the file at `path` begins like a record file; the rest may be damaged.
bool BeginsAsRecord(const std::string& path);

// Applies a part of ReplaceOwnResult to a file that is not a record but contains the header of the run that made it:
// `then` is the header of the run that made the file at `path`. Returns InvalidArgumentError with the differences if
// the result of `planned` is another one.
absl::Status CheckIsOfSameCommand(const std::string& path, const proto::Header& then, const proto::Header& planned);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_OTHER_RESULT_H_
