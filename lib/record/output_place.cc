#include "lib/record/output_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/status_macros.h"
#include "lib/base/write_error.h"

namespace lockstep {
namespace {

absl::Status CheckFolder(const std::string& path) {
  const std::string folder = FolderOf(path);
  struct stat info;
  if (stat(folder.c_str(), &info) != 0 && errno != ENOENT) {
    return WriteError(absl::StrCat(folder, ": cannot be looked at"), errno);
  }
  if (stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": expected a folder ", folder,
                                                   " to write into, found none; make it, or name another output"));
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0 && access(path.c_str(), F_OK) != 0) {
    return WriteError(absl::StrCat(folder, ": cannot be written into"), errno);
  }
  return absl::OkStatus();
}

// The rename at the end would put a file into its place: /dev/null would be one from then on.
absl::Status CheckReplaceable(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(path, S_ISDIR(info.st_mode) ? ": is a folder; the output wants a file's name"
                                               : ": is a device or a pipe; the output wants a file's name, or '-' for "
                                                 "standard output"));
}

// A link, too, is not written through: it may point to another's file.
absl::Status CheckPart(const std::string& part) {
  struct stat info;
  if (lstat(part.c_str(), &info) != 0) {
    return errno == ENAMETOOLONG ? WriteError(absl::StrCat(part, ": cannot write"), errno) : absl::OkStatus();
  }
  return S_ISREG(info.st_mode) ? absl::OkStatus()
                               : absl::InvalidArgumentError(
                                     absl::StrCat(part, ": is no regular file; remove it, or use another --output"));
}

}  // namespace

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

absl::Status CheckOutputPlace(const std::string& path) {
  RETURN_IF_ERROR(CheckFolder(path));
  RETURN_IF_ERROR(CheckReplaceable(path));
  return CheckPart(absl::StrCat(path, ".part"));
}

}  // namespace lockstep
