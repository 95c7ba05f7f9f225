// A rank as a process of this host: what it is started with, and what it writes for the one who started it.
#ifndef LOCKSTEP_LIB_LAUNCH_RANK_PROCESS_H_
#define LOCKSTEP_LIB_LAUNCH_RANK_PROCESS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "lib/base/subprocess.h"
#include "lib/launch/rank_environment.h"

namespace lockstep {

// This executable once more (`self`), with its place in the environment.
ChildOptions RankProcess(const RankEnvironment& place, const std::string& self);

// A rank's status code in decimal, a line end, then its message or value.
std::string FrameResult(const absl::StatusOr<std::string>& result);

// Null when nothing whole was written: the rank was ended before it could.
std::unique_ptr<absl::StatusOr<std::string>> ParseResult(const std::string& frame);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_RANK_PROCESS_H_
