#include "lib/record/open_input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/record/wrong_input.h"

namespace lockstep {
namespace {

constexpr int kPollIntervalMilliseconds = 100;  // interval between two checks for a stop signal

bool IsFolder(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
}

// If `fd` is a FIFO, which must have been opened without blocking, waits until a process has written to it, or has
// opened and closed it. poll reports nothing for a FIFO that was never opened for writing (pipe_poll in the kernel's
// fs/pipe.c).
absl::Status AwaitWriter(int fd) {
  struct stat info;
  if (fstat(fd, &info) != 0 || !S_ISFIFO(info.st_mode)) {
    return absl::OkStatus();
  }
  pollfd readable = {fd, POLLIN, 0};
  while (poll(&readable, 1, kPollIntervalMilliseconds) <= 0) {
    RETURN_IF_ERROR(CheckNotStopped());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<int> OpenInput(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) {
    RETURN_IF_ERROR(CheckIsNoAddress(path));
    return absl::NotFoundError(absl::StrCat(path, ": cannot open: ", std::strerror(errno)));
  }
  if (IsFolder(fd)) {
    close(fd);
    return absl::FailedPreconditionError(absl::StrCat(path, ": expected a file, found a folder"));
  }
  if (const absl::Status status = AwaitWriter(fd); !status.ok()) {
    close(fd);
    return status;
  }
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  return fd;
}

}  // namespace lockstep
