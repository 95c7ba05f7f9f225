// The body of every main: what a tool's Run returns, or what the machine ran out of in it, as the process's exit code.
#ifndef LOCKSTEP_LIB_BASE_RUN_TOOL_H_
#define LOCKSTEP_LIB_BASE_RUN_TOOL_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Calls `work` and returns its status. What the machine has too little of becomes an error:
//   ResourceExhausted  memory: std::bad_alloc, std::length_error of a container that would be larger than any memory,
//                      or std::system_error of ENOMEM
//   Unavailable        threads or open files: std::system_error of EAGAIN, EMFILE or ENFILE
//   Internal           any other std::system_error
// Each thread must have a call of its own, because no exception may leave a thread.
absl::Status CatchMemoryEnd(absl::FunctionRef<absl::Status()> work);

// Calls `run`, prints its error as ErrorLine does, and returns the exit code for main. Outputs that were begun are
// given up in good order also when memory ran out.
int RunTool(absl::string_view tool, absl::FunctionRef<absl::Status()> run);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_RUN_TOOL_H_
