#include "lib/record/input_file.h"

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

absl::StatusOr<InputFile> InputFile::Open(const std::string& path) {
  if (path == "-") {
    return StandardInput();
  }
  OwnedDescriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  const int fd = file.get();
  if (fd < 0) {
    const int error = errno;
    RETURN_IF_ERROR(CheckIsNoAddress(path));
    return absl::NotFoundError(absl::StrCat(path, ": cannot open: ", std::strerror(error)));
  }
  if (IsFolder(fd)) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": expected a file, found a folder"));
  }
  RETURN_IF_ERROR(AwaitWriter(fd));
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  return InputFile(std::move(file));
}

InputFile InputFile::StandardInput() { return InputFile(STDIN_FILENO); }

std::optional<uint64_t> InputFile::RegularSize() const {
  struct stat info;
  return fstat(fd_, &info) == 0 && S_ISREG(info.st_mode) ? std::optional(static_cast<uint64_t>(info.st_size))
                                                         : std::nullopt;
}

absl::StatusOr<size_t> InputFile::Read(void* bytes, size_t size) const {
  RETURN_IF_ERROR(CheckNotStopped());
  ssize_t n;
  while ((n = read(fd_, bytes, size)) < 0) {
    if (errno != EINTR) {
      return absl::DataLossError(absl::StrCat("reading failed: ", std::strerror(errno)));
    }
    RETURN_IF_ERROR(CheckNotStopped());
  }
  return static_cast<size_t>(n);
}

absl::Status NameInReadError(absl::string_view name, const absl::Status& error) {
  return absl::IsCancelled(error) ? error : absl::Status(error.code(), absl::StrCat(name, ": ", error.message()));
}

}  // namespace lockstep
