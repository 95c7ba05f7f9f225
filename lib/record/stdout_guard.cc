#include "lib/record/stdout_guard.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

int real_stdout = -1;  // descriptor of the real standard output; -1: TakeStdout was not called yet

// Returns true if the caller closed the descriptor. lib/base/init_main.cc replaces closed descriptors by read-only
// ones.
bool IsClosed(int fd) {
  const int flags = fcntl(fd, F_GETFL);
  return flags < 0 || (flags & O_ACCMODE) == O_RDONLY;
}

}  // namespace

int StandardOutput() { return real_stdout < 0 ? STDOUT_FILENO : real_stdout; }

absl::StatusOr<int> TakeStdout() {
  if (real_stdout < 0) {
    if (isatty(STDOUT_FILENO) != 0) {
      return absl::FailedPreconditionError(
          "standard output is a terminal; records are binary: redirect it, or name a file with --output");
    }
    if (IsClosed(STDOUT_FILENO)) {
      return absl::FailedPreconditionError("standard output is closed; redirect it, or name a file with --output");
    }
    std::fflush(stdout);
    real_stdout = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
    if (real_stdout < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
      return absl::FailedPreconditionError(absl::StrCat("standard output cannot be used: ", std::strerror(errno)));
    }
  }
  const int copy = fcntl(real_stdout, F_DUPFD_CLOEXEC, 10);
  if (copy < 0) {
    return absl::InternalError(absl::StrCat("dup of standard output: ", std::strerror(errno)));
  }
  return copy;
}

}  // namespace lockstep
