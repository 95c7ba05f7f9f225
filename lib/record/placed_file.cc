#include "lib/record/placed_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/owned_descriptor.h"
#include "lib/base/path.h"
#include "lib/base/write_error.h"
#include "lib/record/output_place.h"

namespace lockstep {
namespace {

constexpr int kNewFileMode = 0666;  // permissions before the umask is applied
constexpr mode_t kPermissions = 0777;
constexpr mode_t kGroupPermissions = 0070;

// Returns the path by which linkat names a file without a name (open(2), O_TMPFILE).
std::string DescriptorPath(int fd) { return absl::StrCat("/proc/self/fd/", fd); }

// Calls `take` with new names until it succeeds or fails with another errno than EEXIST. Returns this errno, or 0.
int WithUniqueName(const std::string& path, std::string& name, const std::function<bool(const char* name)>& take) {
  static std::atomic<uint32_t> count = 0;
  do {
    name = absl::StrCat(FolderOf(path), "/.lockstep.", getpid(), ".", count++, ".part");
    if (take(name.c_str())) {
      return 0;
    }
  } while (errno == EEXIST);
  return errno;
}

bool LacksUnnamedFiles(int error) {
  return error == EOPNOTSUPP || error == EISDIR || error == EINVAL || error == ENOENT;
}

}  // namespace

FileState FileState::Of(const std::string& path) {
  FileState state;
  state.is_there_ = lstat(path.c_str(), &state.info_) == 0;
  return state;
}

bool FileState::operator==(const FileState& other) const { return ToText() == other.ToText(); }

std::string FileState::ToText() const {
  return is_there_ ? absl::StrCat(info_.st_dev, " ", info_.st_ino, " ", info_.st_size, " ", info_.st_mtim.tv_sec, " ",
                                  info_.st_mtim.tv_nsec)
                   : "";
}

FileState FileState::FromText(const std::string& text) {
  FileState state;
  const std::vector<std::string> words = absl::StrSplit(text, ' ');
  uint64_t device = 0, inode = 0;
  int64_t size = 0, seconds = 0, nanoseconds = 0;
  state.is_there_ = words.size() == 5 && absl::SimpleAtoi(words[0], &device) && absl::SimpleAtoi(words[1], &inode) &&
                    absl::SimpleAtoi(words[2], &size) && absl::SimpleAtoi(words[3], &seconds) &&
                    absl::SimpleAtoi(words[4], &nanoseconds);
  state.info_.st_dev = device;
  state.info_.st_ino = inode;
  state.info_.st_size = size;
  state.info_.st_mtim.tv_sec = seconds;
  state.info_.st_mtim.tv_nsec = nanoseconds;
  return state;
}

bool NamesFile(const std::string& name, int fd) {
  struct stat by_name, by_fd;
  return lstat(name.c_str(), &by_name) == 0 && fstat(fd, &by_fd) == 0 && by_name.st_ino == by_fd.st_ino &&
         by_name.st_dev == by_fd.st_dev;
}

absl::Status LockFile(int fd, const std::string& path) {
  while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return absl::FailedPreconditionError(
          absl::StrCat(path, ": another process is writing it; wait, or use another --output"));
    }
    if (errno != EINTR) {
      return PlaceError(absl::StrCat(PartPath(path), ": cannot lock"), errno);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<int> OpenUnnamedFile(const std::string& path, std::string& name) {
  int fd = open(FolderOf(path).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kNewFileMode);
  if (fd >= 0 && access(DescriptorPath(fd).c_str(), F_OK) != 0) {  // the file cannot be named without /proc
    close(fd);
    fd = -1;
    errno = EOPNOTSUPP;
  }
  int error = fd >= 0 ? 0 : errno;
  if (LacksUnnamedFiles(error)) {
    error = WithUniqueName(path, name, [&](const char* unique) {
      fd = open(unique, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kNewFileMode);
      return fd >= 0;
    });
  }
  if (error != 0) {
    name.clear();
    return PlaceError(absl::StrCat(path, ": cannot write"), error);
  }
  return fd;
}

absl::StatusOr<std::string> NameFile(int fd, const std::string& path) {
  std::string name;
  const int error = WithUniqueName(path, name, [fd](const char* unique) {
    return linkat(AT_FDCWD, DescriptorPath(fd).c_str(), AT_FDCWD, unique, AT_SYMLINK_FOLLOW) == 0;
  });
  if (error != 0) {
    return PlaceError(absl::StrCat(path, ": cannot create a new file next to the existing one"), error);
  }
  return name;
}

absl::Status NameFileAs(int fd, const std::string& path) {
  if (linkat(AT_FDCWD, DescriptorPath(fd).c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0) {
    return absl::OkStatus();
  }
  return errno == EEXIST ? absl::AlreadyExistsError(path) : PlaceError(absl::StrCat(path, ": cannot create"), errno);
}

absl::Status RenameNewFile(const std::string& from, const std::string& path) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0) {
    return absl::OkStatus();
  }
  return errno == EEXIST ? absl::AlreadyExistsError(path) : RenameFile(from, path);
}

absl::Status RenameFile(const std::string& from, const std::string& path) {
  return std::rename(from.c_str(), path.c_str()) == 0
             ? absl::OkStatus()
             : PlaceError(absl::StrCat(from, ": cannot be renamed to ", path), errno);
}

void KeepPermissions(const std::string& path, int fd) {
  struct stat before, now;
  if (stat(path.c_str(), &before) != 0 || !S_ISREG(before.st_mode) || fstat(fd, &now) != 0) {
    return;
  }
  if (before.st_uid != now.st_uid || before.st_gid != now.st_gid) {
    if (fchown(fd, before.st_uid, before.st_gid) != 0 && fchown(fd, static_cast<uid_t>(-1), before.st_gid) != 0) {
      before.st_mode &= ~kGroupPermissions;
    }
  }
  fchmod(fd, before.st_mode & kPermissions);
}

absl::Status SyncFolder(const std::string& folder) {
  const OwnedDescriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() < 0) {
    return errno == EACCES ? absl::OkStatus()  // a folder without read permission cannot be synced
                           : PlaceError(absl::StrCat(folder, ": cannot open to sync it"), errno);
  }
  const int error = fsync(opened.get()) == 0 ? 0 : errno;
  // Some file systems cannot sync a folder (EINVAL); the durability of the rename then depends on the file system.
  return error == 0 || error == EINVAL ? absl::OkStatus() : WriteError(absl::StrCat(folder, ": cannot sync"), error);
}

}  // namespace lockstep
