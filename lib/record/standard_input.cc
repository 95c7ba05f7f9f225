#include "lib/record/standard_input.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"

namespace lockstep {
namespace {

constexpr size_t kBlockBytes = 256 << 10;  // as DigestedInput reads

// Bytes read, 0 at the end.
absl::StatusOr<size_t> ReadBlock(std::vector<char>& block) {
  ssize_t n;
  while ((n = read(STDIN_FILENO, block.data(), block.size())) < 0) {
    if (errno != EINTR) {
      return absl::DataLossError(absl::StrCat("standard input: reading failed: ", std::strerror(errno)));
    }
    RETURN_IF_ERROR(CheckNotStopped());
  }
  return static_cast<size_t>(n);
}

absl::Status WriteAll(int fd, const char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t n = write(fd, bytes, size);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      return absl::ResourceExhaustedError(
          absl::StrCat("standard input: no memory for a copy of it: ", std::strerror(errno), "; give a file instead"));
    }
    bytes += n;
    size -= static_cast<size_t>(n);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> CopyStandardInput() {
  const int fd = memfd_create("standard_input", MFD_CLOEXEC);
  if (fd < 0) {
    return absl::InternalError(absl::StrCat("memfd_create: ", std::strerror(errno)));
  }
  std::vector<char> block(kBlockBytes);
  while (true) {
    RETURN_IF_ERROR(CheckNotStopped());
    ASSIGN_OR_RETURN(const size_t n, ReadBlock(block));
    if (n == 0) {
      return absl::StrCat("/proc/", getpid(), "/fd/", fd);
    }
    RETURN_IF_ERROR(WriteAll(fd, block.data(), n));
  }
}

}  // namespace lockstep
