#include "lib/base/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lib/base/system_call_error.h"

namespace lockstep {

absl::StatusOr<std::unique_ptr<MemoryFile>> MemoryFile::Create(const std::string& name) {
  const int fd = memfd_create(name.c_str(), MFD_CLOEXEC);
  if (fd < 0) {
    return SystemCallError("memfd_create", errno);
  }
  return std::unique_ptr<MemoryFile>(new MemoryFile(fd));
}

MemoryFile::~MemoryFile() { close(fd_); }

absl::Status MemoryFile::Append(absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      return absl::ResourceExhaustedError(absl::StrCat("not enough memory for a copy: ", std::strerror(errno)));
    }
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

std::string MemoryFile::path() const { return absl::StrCat("/proc/", getpid(), "/fd/", fd_); }

}  // namespace lockstep
