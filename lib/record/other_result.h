// Whether an output may be replaced: a command replaces its own result, and no other's unless it is told to (--force).
#ifndef LOCKSTEP_LIB_RECORD_OTHER_RESULT_H_
#define LOCKSTEP_LIB_RECORD_OTHER_RESULT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/proto/header.pb.h"
#include "lib/record/replace_rule.h"

namespace lockstep {

// Returns the rule for the record that a command is about to write: `planned` is its header, `beside` the files that the
// run writes next to the record. The rule refuses, and says what differs as "--epochs: 5 -> 10", if
//     - the record at PATH is of another command: another flag, an input of another name and other bytes, other bytes on
//       standard input, another device, another variable of the environment that changes results;
//     - PATH is not empty and no record, or a record of another tool or an unknown version;
//     - PATH.part is the journal of another measured run, or of another tool;
//     - a file of `beside` is there, and neither PATH nor PATH.part is of this command; a part without a record is of it.
// The rule returns true for the command's own result: made by another build, on a machine in another state, from an input
// whose bytes have changed under its name, damaged, or ended badly. Then it says on stderr which of the first three it
// was.
ReplaceRule ReplaceOwnResult(const proto::Header& planned, const std::vector<std::string>& beside = {});

// Returns the rule for a record that may replace any record of `schema`.
ReplaceRule ReplaceRecordOf(const std::string& schema);

// Returns whether the file at `path` begins as a record file does, whatever happened to the rest of it.
bool BeginsAsRecord(const std::string& path);

// A part of the rule above, for a file that is no record and says by itself what made it: `then` made what is at `path`.
// InvalidArgument, and what differs, when that is another result than that of `planned`.
absl::Status CheckIsOfSameCommand(const std::string& path, const proto::Header& then, const proto::Header& planned);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_OTHER_RESULT_H_
