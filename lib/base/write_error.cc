#include "lib/base/write_error.h"

#include <cerrno>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"

namespace lockstep {

absl::Status WriteError(absl::string_view message, int error) {
  const std::string text = absl::StrCat(message, ": ", std::strerror(error));
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:  // the process's limit on a file's size (ulimit -f), or the file system's
      return absl::ResourceExhaustedError(absl::StrCat(text, "; make room or raise the limit, then run it again"));
    case EIO:
      return absl::ResourceExhaustedError(absl::StrCat(text, "; use another disk for the output"));
    case EPIPE:
      return absl::UnavailableError(absl::StrCat(text, "; who reads it ended early: see what it says"));
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
      return absl::InvalidArgumentError(absl::StrCat(text, "; use another --output"));
    default:
      return absl::InternalError(text);
  }
}

}  // namespace lockstep
