#include "lib/checks/untrusted_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
constexpr int kFileFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
constexpr char kNotRegular[] = "not a regular file, but a folder, a FIFO, a socket or a device";

FolderEntry::Kind KindOfMode(mode_t mode) {
  return S_ISREG(mode)   ? FolderEntry::Kind::kFile
         : S_ISDIR(mode) ? FolderEntry::Kind::kFolder
         : S_ISLNK(mode) ? FolderEntry::Kind::kLink
                         : FolderEntry::Kind::kOther;
}

FolderEntry::Kind KindOf(int folder, const dirent& entry) {
  struct stat info;
  if (entry.d_type != DT_UNKNOWN) {
    return KindOfMode(DTTOIF(entry.d_type));
  }
  return fstatat(folder, entry.d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 ? KindOfMode(info.st_mode)
                                                                        : FolderEntry::Kind::kOther;
}

// Opens `path` part by part, and its last part with `flags`. Returns -1 with errno on errors.
int OpenPartByPart(int top, const std::string& path, int flags) {
  int fd = openat(top, ".", kFolderFlags);
  const std::vector<std::string> parts = absl::StrSplit(path, '/', absl::SkipEmpty());
  for (size_t i = 0; i < parts.size() && fd >= 0; ++i) {
    const int next = openat(fd, parts[i].c_str(), i + 1 < parts.size() ? kFolderFlags : flags | O_NOFOLLOW);
    const int error = errno;
    close(fd);
    errno = error;
    fd = next;
  }
  return fd;
}

int OpenBeneath(int top, const std::string& path) {
  open_how how = {};
  how.flags = kFileFlags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const int fd = static_cast<int>(syscall(SYS_openat2, top, path.c_str(), &how, sizeof(how)));
  // EPERM: a filter that does not know this system call, as in older containers.
  return fd < 0 && (errno == ENOSYS || errno == EPERM) ? OpenPartByPart(top, path, kFileFlags) : fd;
}

}  // namespace

OwnedDescriptor OpenFolderBelow(int top, const std::string& path) {
  return OwnedDescriptor(OpenPartByPart(top, path, kFolderFlags));
}

absl::StatusOr<std::vector<FolderEntry>> EntriesOf(int folder, size_t limit) {
  const int listed = openat(folder, ".", kFolderFlags);  // descriptor that closedir closes
  DIR* const stream = listed < 0 ? nullptr : fdopendir(listed);
  if (stream == nullptr) {
    return absl::NotFoundError(std::strerror(errno));
  }
  std::vector<FolderEntry> entries;
  errno = 0;
  for (const dirent* entry; entries.size() < limit && (entry = readdir(stream)) != nullptr; errno = 0) {
    if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0) {
      entries.push_back({entry->d_name, KindOf(folder, *entry)});
    }
  }
  const int error = errno;
  closedir(stream);
  if (error != 0) {
    return absl::NotFoundError(std::strerror(error));
  }
  std::sort(entries.begin(), entries.end(), [](const FolderEntry& a, const FolderEntry& b) { return a.name < b.name; });
  return entries;
}

bool IsLinkToFolder(int folder, const std::string& name) {
  struct stat info;
  return fstatat(folder, name.c_str(), &info, 0) == 0 && S_ISDIR(info.st_mode);
}

absl::StatusOr<RegularFile> OpenFileBelow(int top, const std::string& path) {
  OwnedDescriptor fd(OpenBeneath(top, path));
  const int error = errno;
  if (fd.get() < 0 && (error == EXDEV || error == ELOOP)) {  // RESOLVE_BENEATH; RESOLVE_NO_MAGICLINKS or O_NOFOLLOW
    return absl::FailedPreconditionError("a link out of the folder, which is not followed");
  }
  if (fd.get() < 0) {
    return error == ENXIO ? absl::FailedPreconditionError(kNotRegular)
                          : absl::NotFoundError(absl::StrCat("cannot be opened: ", std::strerror(error)));
  }
  InputFile file(std::move(fd));
  const std::optional<uint64_t> size = file.RegularSize();
  if (!size.has_value()) {
    return absl::FailedPreconditionError(kNotRegular);
  }
  return RegularFile{std::move(file), *size};
}

absl::StatusOr<std::string> ReadStartOf(const RegularFile& file, uint64_t size) {
  constexpr size_t kStep = size_t{4} << 20;  // bytes between two checks for a stop signal
  std::string bytes;
  for (size_t n = 1; n > 0 && bytes.size() < size;) {
    const size_t filled = bytes.size();
    bytes.resize(filled + std::min<uint64_t>(kStep, size - filled));
    ASSIGN_OR_RETURN(n, file.file.Read(&bytes[filled], bytes.size() - filled));
    bytes.resize(filled + n);
  }
  return bytes;
}

}  // namespace lockstep
