#include "lib/record/output_place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lib/base/path.h"
#include "lib/base/status_macros.h"
#include "lib/base/write_error.h"

namespace lockstep {
namespace {

constexpr uint64_t kMountRoot = 0x2000;  // STATX_ATTR_MOUNT_ROOT of linux/stat.h, since Linux 5.8
constexpr char kMountFolder[] = "mount its folder instead of the file (docker -v), or use another --output";

absl::Status CheckFolder(const std::string& path) {
  const std::string folder = FolderOf(path);
  struct stat info;
  if (stat(folder.c_str(), &info) != 0 && errno != ENOENT) {
    return WriteError(absl::StrCat(folder, ": cannot stat"), errno);
  }
  if (stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": the folder ", folder, " does not exist; create it, or name another output"));
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0 && access(path.c_str(), F_OK) != 0) {
    return WriteError(absl::StrCat(folder, ": is not writable"), errno);
  }
  return absl::OkStatus();
}

// Returns true if the file is a mount of its own. Older kernels do not report this; the rename at the end then fails
// with EBUSY.
bool IsMounted(const std::string& path) {
  struct statx info = {};
  return statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, 0, &info) == 0 && (info.stx_attributes & kMountRoot) != 0;
}

// Returns InvalidArgumentError if PATH is a mount of its own, or exists and is not a regular file: the rename at the
// end would replace e.g. /dev/null by a regular file.
absl::Status CheckReplaceable(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && IsMounted(path)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": the file is a mount point, so no other file can be renamed to it; ", kMountFolder));
  }
  if (stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(path, S_ISDIR(info.st_mode)
                             ? ": is a folder; expected the name of a file"
                             : ": is a device or a pipe; expected the name of a file, or '-' for standard output"));
}

// Returns InvalidArgumentError if PATH.part exists and is not a regular file. Links are refused, too, because they may
// point to a file of somebody else.
absl::Status CheckPart(const std::string& part) {
  struct stat info;
  if (lstat(part.c_str(), &info) != 0) {
    return errno == ENAMETOOLONG ? WriteError(absl::StrCat(part, ": cannot write"), errno) : absl::OkStatus();
  }
  return S_ISREG(info.st_mode) ? absl::OkStatus()
                               : absl::InvalidArgumentError(
                                     absl::StrCat(part, ": is not a regular file; remove it, or use another --output"));
}

}  // namespace

absl::Status CheckOutputPlace(const std::string& path) {
  RETURN_IF_ERROR(CheckFolder(path));
  RETURN_IF_ERROR(CheckReplaceable(path));
  return CheckPart(PartPath(path));
}

absl::Status PlaceError(absl::string_view message, int error) {
  const std::string text = absl::StrCat(message, ": ", std::strerror(error));
  switch (error) {
    case EXDEV:
    case EBUSY:
      return absl::InvalidArgumentError(absl::StrCat(text, "; if the file is a mount point, ", kMountFolder));
    case ENOSYS:
    case EBADF:  // errno of flock for a file that NFS has opened read-only
      return absl::InvalidArgumentError(
          absl::StrCat(text, "; the file system or a sandbox refuses it: use another --output"));
    default:
      return WriteError(message, error);
  }
}

}  // namespace lockstep
