// The folder from which the user called a tool, also under `bazel run`.
#ifndef LOCKSTEP_LIB_BASE_CALLERS_FOLDER_H_
#define LOCKSTEP_LIB_BASE_CALLERS_FOLDER_H_

#include "absl/status/status.h"

namespace lockstep {

// Changes to the folder named by the variable BUILD_WORKING_DIRECTORY, which `bazel run` sets. Relative paths then
// refer to the caller's folder. Does nothing if the variable is not set. Returns InvalidArgumentError if the folder
// cannot be entered.
absl::Status EnterCallersFolder();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_CALLERS_FOLDER_H_
