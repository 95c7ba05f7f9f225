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

namespace lockstep {
namespace {

constexpr size_t kBlockBytes = 256 << 10;  // as DigestedInput reads
constexpr int kLookMilliseconds = 100;     // from one look for a stop signal to the next

absl::StatusOr<std::string> ReadToEnd(int fd, const std::string& path) {
  std::string bytes;
  for (size_t size = 0;;) {
    bytes.resize(size + kBlockBytes);
    const ssize_t n = read(fd, &bytes[size], kBlockBytes);
    if (n < 0 && errno != EINTR) {
      return absl::DataLossError(absl::StrCat(path, ": cannot read: ", std::strerror(errno)));
    }
    if (n < 0) {
      RETURN_IF_ERROR(CheckNotStopped());
      continue;
    }
    size += static_cast<size_t>(n);
    if (n == 0) {
      bytes.resize(size);
      return bytes;
    }
  }
}

// Of a FIFO that was opened without blocking: until somebody has written to it, or has had it open and is gone. A poll
// of one that nobody has opened to write reports nothing (pipe_poll in the kernel's fs/pipe.c).
absl::Status AwaitWriter(int fd) {
  struct stat info;
  if (fstat(fd, &info) != 0 || !S_ISFIFO(info.st_mode)) {
    return absl::OkStatus();
  }
  pollfd readable = {fd, POLLIN, 0};
  while (poll(&readable, 1, kLookMilliseconds) <= 0) {
    RETURN_IF_ERROR(CheckNotStopped());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<int> OpenInput(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) {
    return absl::NotFoundError(absl::StrCat(path, ": cannot open: ", std::strerror(errno)));
  }
  if (const absl::Status status = AwaitWriter(fd); !status.ok()) {
    close(fd);
    return status;
  }
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  return fd;
}

absl::StatusOr<std::string> ReadWholeFile(const std::string& path) {
  ASSIGN_OR_RETURN(const int fd, OpenInput(path));
  absl::StatusOr<std::string> bytes = ReadToEnd(fd, path);
  close(fd);
  return bytes;
}

}  // namespace lockstep
