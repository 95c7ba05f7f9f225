#include "lib/base/random_bytes.h"

#include <sys/random.h>
#include <sys/types.h>

#include <cerrno>

#include "lib/base/system_call_error.h"

namespace lockstep {

absl::StatusOr<std::string> RandomBytes(size_t count) {
  std::string bytes(count, '\0');
  for (size_t filled = 0; filled < count;) {
    const ssize_t n = getrandom(&bytes[filled], count - filled, 0);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      return SystemCallError("getrandom", errno);
    }
    filled += static_cast<size_t>(n);
  }
  return bytes;
}

}  // namespace lockstep
