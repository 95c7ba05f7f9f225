// The body of every main: what a tool's Run returns, or memory that ran out in it, as the process's exit code.
#ifndef LOCKSTEP_LIB_BASE_RUN_TOOL_H_
#define LOCKSTEP_LIB_BASE_RUN_TOOL_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// What `work` returns. ResourceExhausted when memory runs out in it (std::bad_alloc, or std::length_error of a
// container that would be larger than any memory). For each thread of its own: no exception leaves a thread.
absl::Status CatchMemoryEnd(absl::FunctionRef<absl::Status()> work);

// Calls `run`, prints its error as ErrorLine does, and returns the exit code for main. Outputs that were begun are
// given up in good order also when memory ran out.
int RunTool(absl::string_view tool, absl::FunctionRef<absl::Status()> run);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_RUN_TOOL_H_
