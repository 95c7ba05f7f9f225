#include "lib/base/write_error.h"

#include <cerrno>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/system_call_error.h"

namespace lockstep {

absl::Status WriteError(absl::string_view message, int error) {
  const std::string text = absl::StrCat(message, ": ", std::strerror(error));
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:  // limit of the process (ulimit -f) or of the file system on a file's size
      return absl::ResourceExhaustedError(
          absl::StrCat(text, "; free some space or raise the limit, then run the command again"));
    case EIO:
    case EREMOTEIO:
    case EUCLEAN:
      return absl::ResourceExhaustedError(absl::StrCat(text, "; use another disk for the output"));
    case EPIPE:
      return absl::UnavailableError(absl::StrCat(text, "; the program that reads it ended early: see its messages"));
    case EXDEV:  // rename(2): PATH itself is mounted (docker -v FILE:FILE), so its folder is on another file system
    case EBUSY:
      return absl::UnavailableError(
          absl::StrCat(text, "; if the output itself is mounted, mount its folder instead; or use another --output"));
    case ETXTBSY:
      return absl::UnavailableError(
          absl::StrCat(text, "; end the program that runs this file, or use another --output"));
    case ESTALE:
    case ENOTCONN:
    case EHOSTDOWN:
    case ETIMEDOUT:
      return absl::UnavailableError(absl::StrCat(text, "; mount the network file system again, or use another disk"));
    case ENOSYS:
      return absl::UnavailableError(
          absl::StrCat(text, "; the file system or the container refuses this call: write to a local disk"));
    case ENOENT:
      return absl::InvalidArgumentError(absl::StrCat(text, " (the folder must exist)"));
    case EACCES:
    case EPERM:
    case EROFS:
    case ENOTDIR:
    case EISDIR:
    case ENAMETOOLONG:
    case ELOOP:
    case ENOLCK:
    case EOPNOTSUPP:
    case EINVAL:  // open(2): a name with characters that the file system does not allow
    case ENODEV:
    case ENXIO:
      return absl::InvalidArgumentError(absl::StrCat(text, "; use another --output"));
    default:
      return SystemCallError(message, error);
  }
}

}  // namespace lockstep
