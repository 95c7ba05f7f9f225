// Whether an output may be replaced: a command replaces its own result, and no other's unless it is told to (--force).
#ifndef LOCKSTEP_LIB_RECORD_OTHER_RESULT_H_
#define LOCKSTEP_LIB_RECORD_OTHER_RESULT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/proto/header.pb.h"

namespace lockstep {

// For who found no cached result (step_cache.h) and was not told to force one. `path` is the record to write, `planned`
// its header, `beside` the files that the run writes beside it.
//
// InvalidArgument, and what differs as "--epochs: 5 -> 10":
//     - the record at PATH is of another command: another flag, an input of another name and other bytes, other bytes on
//       standard input, another device, another variable of the environment that changes results;
//     - PATH is not empty and no record, or a record of another tool or an unknown version;
//     - PATH.part is the journal of another measured run;
//     - a file of `beside` is there, and neither PATH nor PATH.part is of this command; a part without a record is of it.
// OK for the command's own result: made by another build, on a machine in another state, from an input whose bytes have
// changed under its name, damaged, or ended badly. Says on stderr which of the first three it was. OK for "-".
absl::Status CheckMayReplace(const std::string& path, const proto::Header& planned,
                             const std::vector<std::string>& beside = {});

// The last part of it, for a file that is no record and says by itself what made it: `then` made what is at `path`.
// InvalidArgument, and what differs, when that is another result than that of `planned`.
absl::Status CheckIsOfSameCommand(const std::string& path, const proto::Header& then, const proto::Header& planned);

// The InvalidArgument of a file that is in the way: `what`, and how to mend it.
absl::Status RefuseToReplace(const std::string& what);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_OTHER_RESULT_H_
