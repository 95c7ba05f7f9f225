// Limit on the files that this process may have open at once (RLIMIT_NOFILE).
//
// Some libraries end the process without a message if they get no descriptor: LibTorch's event loop calls abort(). Code
// that needs many descriptors must therefore call EnsureOpenFiles first.
#ifndef LOCKSTEP_LIB_BASE_OPEN_FILES_H_
#define LOCKSTEP_LIB_BASE_OPEN_FILES_H_

#include <cstdint>

#include "absl/status/status.h"

namespace lockstep {

// Raises the soft limit to `count` if it is lower. Child processes inherit the limit. Returns UnavailableError, with
// the number needed and the remedy, if the hard limit is lower. Not thread-safe.
absl::Status EnsureOpenFiles(uint64_t count);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_OPEN_FILES_H_
