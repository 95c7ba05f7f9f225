// Body of every main. Converts the status of a tool's Run, or an exception of a machine that ran out of something, to
// the process's exit code.
#ifndef LOCKSTEP_LIB_BASE_RUN_TOOL_H_
#define LOCKSTEP_LIB_BASE_RUN_TOOL_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Calls `work` and returns its status. Exceptions become errors:
//   ResourceExhausted  memory: std::bad_alloc, std::length_error of a container that would be larger than any memory,
//                      or std::system_error of ENOMEM
//   Unavailable        threads or open files: std::system_error of EAGAIN, EMFILE or ENFILE
//   Internal           any other std::system_error
// Each thread must call this function itself, because no exception may leave a thread.
absl::Status CatchOutOfMemory(absl::FunctionRef<absl::Status()> work);

// Calls `run`, prints its error (ErrorLine), and returns the exit code for main. If memory runs out, the stack unwinds,
// so that unfinished outputs are discarded properly.
int RunTool(absl::string_view tool, absl::FunctionRef<absl::Status()> run);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_RUN_TOOL_H_
