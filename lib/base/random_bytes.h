// Random bytes from the kernel, for names and secrets that nobody can guess.
#ifndef LOCKSTEP_LIB_BASE_RANDOM_BYTES_H_
#define LOCKSTEP_LIB_BASE_RANDOM_BYTES_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace lockstep {

// Returns `count` bytes of getrandom(2). If the kernel or a container's seccomp profile refuses the call, returns the
// error of SystemCallError. Thread-safe.
absl::StatusOr<std::string> RandomBytes(size_t count);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_RANDOM_BYTES_H_
