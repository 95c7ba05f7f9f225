// Process of a rank on this host: its command and environment, and the result that it writes.
#ifndef LOCKSTEP_LIB_LAUNCH_RANK_PROCESS_H_
#define LOCKSTEP_LIB_LAUNCH_RANK_PROCESS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "lib/base/subprocess.h"
#include "lib/launch/rank_environment.h"

namespace lockstep {

// Returns the options for a child that runs this executable (`self`) with `place` in its environment.
ChildOptions RankProcess(const RankEnvironment& place, const std::string& self);

// Returns the rank's status code in decimal, a line end, and its message or value.
std::string FrameResult(const absl::StatusOr<std::string>& result);

// Parses the result of FrameResult. Returns null if it is not complete: the rank was ended before it had written it.
std::unique_ptr<absl::StatusOr<std::string>> ParseResult(const std::string& frame);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_RANK_PROCESS_H_
