// The folder of whoever called a tool, under `bazel run` too.
#ifndef LOCKSTEP_LIB_BASE_CALLERS_FOLDER_H_
#define LOCKSTEP_LIB_BASE_CALLERS_FOLDER_H_

#include "absl/status/status.h"

namespace lockstep {

// Changes to the folder that BUILD_WORKING_DIRECTORY names, which `bazel run` sets, so that relative paths mean the
// caller's folder. Does nothing if the variable is not set. Returns InvalidArgumentError if the folder cannot be
// entered.
absl::Status EnterCallersFolder();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_CALLERS_FOLDER_H_
