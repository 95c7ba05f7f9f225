// Requirements of LibTorch and its libraries, checked before one of them ends the process with its own message.
#ifndef LOCKSTEP_LIB_DEVICE_TORCH_NEEDS_H_
#define LOCKSTEP_LIB_DEVICE_TORCH_NEEDS_H_

#include "absl/status/status.h"

namespace lockstep {

// Returns an error if LibTorch cannot be loaded or used in this process:
// - InvalidArgument: the working folder was removed or its path is too long. MKL would print "FATAL ERROR" while it is
//   loaded, and exit with 2.
// - InvalidArgument: CheckOpenMpEnvironment's.
// - Unavailable: /dev/urandom cannot be read. The random number generator would throw outside of all handlers.
//
// Links nothing of LibTorch, for a program that starts another one with LibTorch. Not thread-safe.
absl::Status CheckTorchNeeds();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DEVICE_TORCH_NEEDS_H_
