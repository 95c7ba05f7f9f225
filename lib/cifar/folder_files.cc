#include "lib/cifar/folder_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "lib/base/path.h"
#include "lib/base/status_macros.h"
#include "lib/cifar/parallel_for.h"
#include "lib/cifar/source_limits.h"

namespace lockstep {
namespace {

// Largest size of one read: a stop signal is handled between two reads, even on a slow disk.
constexpr size_t kReadBytes = size_t{4} << 20;

struct Entry {
  std::string name;
  bool is_folder;
  bool is_regular;
};

absl::StatusOr<std::shared_ptr<const OwnedDescriptor>> Open(int at, const std::string& name, const std::string& shown) {
  OwnedDescriptor folder(openat(at, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) {
    const std::string message = absl::StrCat(shown, ": cannot open the folder: ", std::strerror(errno));
    return errno == ENOENT ? absl::NotFoundError(message) : absl::FailedPreconditionError(message);
  }
  return std::make_shared<const OwnedDescriptor>(std::move(folder));
}

bool IsFolder(int at, const dirent& entry) {
  if (entry.d_type != DT_LNK && entry.d_type != DT_UNKNOWN) {
    return entry.d_type == DT_DIR;
  }
  struct stat info;
  return fstatat(at, entry.d_name, &info, 0) == 0 && S_ISDIR(info.st_mode);
}

// Returns the entries of a folder, sorted, without "." and "..".
absl::StatusOr<std::vector<Entry>> List(const OwnedDescriptor& folder, const std::string& shown) {
  const int copy = openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);  // fdopendir will own the copy
  DIR* stream = copy < 0 ? nullptr : fdopendir(copy);
  if (stream == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(shown, ": cannot list the folder: ", std::strerror(errno)));
  }
  std::vector<Entry> entries;
  while (const dirent* entry = readdir(stream)) {
    if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0) {
      entries.push_back({entry->d_name, IsFolder(folder.get(), *entry), entry->d_type == DT_REG});
    }
  }
  closedir(stream);
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return entries;
}

// Returns true if files of CIFAR-10 may be below the folder `name` in the folder at `path` (relative to the top).
bool MayHold(const std::string& path, const std::string& name) {
  const size_t depth = path.empty() ? 0 : 1 + std::count(path.begin(), path.end(), '/');
  if (name[0] == '.' || depth > 2) {
    return false;
  }
  const std::string inside = JoinPath(path, name);
  // At the top, every folder is searched; below, only folders whose pictures CifarPathOf would accept.
  return depth == 0 || CifarPathOf(inside + "/x.png") || CifarPathOf(inside + "/x/x.png");
}

// A folder to search, and its contents.
struct Level {
  std::shared_ptr<const OwnedDescriptor> folder;
  std::string path;   // path relative to the top; empty for the top
  std::string shown;  // path for messages

  std::vector<FolderFile> files;
  FormatFinder finder;       // findings: these files and others
  std::vector<Level> inner;  // folders to search next
};

absl::Status ReadLevel(Level& level) {
  ASSIGN_OR_RETURN(const std::vector<Entry> entries, List(*level.folder, level.shown));
  level.files.reserve(entries.size());
  for (const Entry& entry : entries) {
    std::string inside = JoinPath(level.path, entry.name);
    if (entry.is_folder && MayHold(level.path, entry.name)) {
      std::string shown = JoinPath(level.shown, entry.name);
      ASSIGN_OR_RETURN(auto folder, Open(level.folder->get(), entry.name, shown));
      level.inner.push_back({std::move(folder), std::move(inside), std::move(shown), {}, {}, {}});
    } else if (auto place = entry.is_folder ? absl::nullopt : CifarPathOf(inside)) {
      level.finder.Add(*place);
      level.files.push_back({*std::move(place), level.folder, entry.is_regular});
    } else {
      level.finder.AddOther(inside, entry.is_folder ? EntryKind::kFolder : EntryKind::kFile);
    }
  }
  return absl::OkStatus();
}

// Moves the findings of `level` to the listing, and its inner folders to `next`.
absl::Status TakeOver(Level& level, const std::string& top, FolderListing& listing, std::vector<Level>& next) {
  listing.finder.Add(level.finder);
  std::move(level.files.begin(), level.files.end(), std::back_inserter(listing.files));
  std::move(level.inner.begin(), level.inner.end(), std::back_inserter(next));
  if (listing.files.size() > kMaxSourceFiles) {
    return absl::FailedPreconditionError(absl::StrCat(top, ": expected at most ", kMaxSourceFiles,
                                                      " files of CIFAR-10, found more; not a folder of CIFAR-10"));
  }
  return absl::OkStatus();
}

// Reads the file with a single read, which saves 60,000 queries of a size. Returns nothing if the file is larger.
absl::optional<absl::string_view> ReadSmall(const InputFile& file, std::string& buffer) {
  constexpr size_t kSmallBytes = 16 << 10;  // CIFAR-10's largest pictures have 3 kB as PNG
  buffer.resize(std::max(buffer.size(), kSmallBytes));
  const absl::StatusOr<size_t> n = file.Read(&buffer[0], buffer.size());
  if (n.ok() && *n < buffer.size()) {
    return absl::string_view(buffer.data(), *n);
  }
  lseek(file.fd(), 0, SEEK_SET);
  return absl::nullopt;
}

absl::StatusOr<absl::string_view> ReadOfKnownSize(const InputFile& file, const std::string& shown,
                                                  std::string& buffer) {
  const std::optional<uint64_t> size = file.RegularSize();
  if (!size.has_value()) {
    return absl::FailedPreconditionError(
        absl::StrCat(shown, ": expected a regular file, found a FIFO, a socket or a device; remove it"));
  }
  ASSIGN_OR_RETURN(buffer, ReadAll(file, *size, kMaxSourceFileBytes, shown));
  if (buffer.size() != *size) {
    return absl::DataLossError(absl::StrCat(shown, ": expected ", *size, " bytes, found ", buffer.size(),
                                            "; the file changed while it was read"));
  }
  return absl::string_view(buffer);
}

}  // namespace

absl::StatusOr<FolderListing> ListFolder(const std::string& path) {
  FolderListing listing;
  ASSIGN_OR_RETURN(auto top, Open(AT_FDCWD, path, path));
  std::vector<Level> levels;
  levels.push_back({std::move(top), "", path, {}, {}, {}});
  ParallelOptions options;
  options.block = 1;  // a class folder has 1,000 or 5,000 pictures
  while (!levels.empty()) {
    RETURN_IF_ERROR(ParallelFor(levels.size(), options, [&](size_t, size_t i) { return ReadLevel(levels[i]); }));
    std::vector<Level> next;
    for (Level& level : levels) {
      RETURN_IF_ERROR(TakeOver(level, path, listing, next));
    }
    levels = std::move(next);
  }
  return listing;
}

absl::StatusOr<std::string> ReadAll(const InputFile& file, uint64_t size_hint, uint64_t max_bytes,
                                    const std::string& shown) {
  const auto too_large = [&] {
    return absl::FailedPreconditionError(
        absl::StrCat(shown, ": expected at most ", max_bytes, " bytes, found more; not of CIFAR-10"));
  };
  if (size_hint > max_bytes) {
    return too_large();
  }
  // One byte more than expected, so that the read of the last bytes also sees the end.
  std::string bytes(size_hint + 1, '\0');
  size_t filled = 0;
  while (true) {
    const absl::StatusOr<size_t> n = file.Read(&bytes[filled], std::min(bytes.size() - filled, kReadBytes));
    if (!n.ok()) {
      return NameInReadError(shown, n.status());
    }
    filled += *n;
    if (*n == 0 || (filled == size_hint && size_hint != 0)) {
      break;
    }
    if (filled > max_bytes) {
      return too_large();
    }
    if (filled == bytes.size()) {
      bytes.resize(std::min<uint64_t>(2 * bytes.size() + kReadBytes, max_bytes + 1));
    }
  }
  bytes.resize(filled);
  return bytes;
}

absl::StatusOr<absl::string_view> ReadFolderFile(const OwnedDescriptor& folder, const std::string& name, bool one_read,
                                                 const std::string& top, std::string& buffer) {
  // O_NONBLOCK: otherwise, opening a FIFO would wait for a writer.
  OwnedDescriptor opened(openat(folder.get(), FileNameOf(name).c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (opened.get() < 0) {
    return absl::NotFoundError(absl::StrCat(top, ": ", name, ": cannot open: ", std::strerror(errno)));
  }
  const InputFile file(std::move(opened));
  if (one_read) {
    if (const absl::optional<absl::string_view> bytes = ReadSmall(file, buffer)) {
      return *bytes;
    }
  }
  return ReadOfKnownSize(file, absl::StrCat(top, ": ", name), buffer);
}

}  // namespace lockstep
