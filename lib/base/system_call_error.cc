#include "lib/base/system_call_error.h"

#include <cerrno>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"

namespace lockstep {

absl::Status SystemCallError(absl::string_view message, int error) {
  const std::string text = absl::StrCat(message, ": ", std::strerror(error));
  switch (error) {
    case EMFILE:
      return absl::UnavailableError(
          absl::StrCat(text, "; raise this process's limit on open files (ulimit -n), then run the command again"));
    case ENFILE:
      return absl::UnavailableError(
          absl::StrCat(text, "; raise the machine's limit on open files (sysctl fs.file-max), or end other programs"));
    case EAGAIN:
      return absl::UnavailableError(absl::StrCat(
          text, "; raise the limit on processes and threads (ulimit -u, the control group's pids.max), or end others"));
    case ENOMEM:
    case ENOBUFS:
    case ENOSPC:
      return absl::ResourceExhaustedError(
          absl::StrCat(text, "; free memory, or raise its limit (ulimit -v, the control group's)"));
    case ENOSYS:
    case EPERM:
    case EACCES:
      return absl::UnavailableError(
          absl::StrCat(text, "; the kernel or the container's seccomp profile refuses this call: allow it there"));
    case EBADF:
    case ECHILD:
    case EDOM:
    case EFAULT:
    case EINVAL:
    case ENOTSOCK:
    case ERANGE:
    case ESPIPE:
    case ESRCH:
      return absl::InternalError(text);
    default:
      return absl::UnavailableError(absl::StrCat(text, "; see the kernel's log for the cause (dmesg)"));
  }
}

}  // namespace lockstep
