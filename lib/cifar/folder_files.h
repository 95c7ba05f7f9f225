// The files of a folder that could be CIFAR-10's, listed and then read.
#ifndef LOCKSTEP_LIB_CIFAR_FOLDER_FILES_H_
#define LOCKSTEP_LIB_CIFAR_FOLDER_FILES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/cifar/input_format.h"

namespace lockstep {

// An open folder: files are opened relative to it, which spares the kernel the path.
class OpenFolder {
 public:
  explicit OpenFolder(int fd) : fd_(fd) {}
  ~OpenFolder();
  OpenFolder(const OpenFolder&) = delete;
  OpenFolder& operator=(const OpenFolder&) = delete;
  int fd() const { return fd_; }

 private:
  const int fd_;
};

struct FolderFile {
  CifarPath place;                           // its name there is the last part of place.name
  std::shared_ptr<const OpenFolder> folder;  // the innermost one
  bool regular = false;                      // as that folder says; not of a link
};

struct FolderListing {
  std::vector<FolderFile> files;  // of every kind of CIFAR-10
  FormatFinder finder;            // knows them, and the names of others
};

// Looks at the top, inside the folders there, and inside SPLIT/<class>/ (split_folders.h) of both; no deeper. Opens no
// file. NotFound, FailedPrecondition: the folder cannot be opened. Links are followed: the folder is the user's own.
absl::StatusOr<FolderListing> ListFolder(const std::string& path);

// The bytes of the file in `folder` whose name is the last part of `name`. They are in `buffer`, which may stay larger:
// used for one file after another it spares its memory each time. With `one_read` the file is known to be regular, and
// likely to be small. Messages begin with "TOP: NAME". FailedPrecondition: not a regular file (nothing is waited for),
// or larger than kMaxSourceFileBytes. DataLoss: reading failed, or the file changed meanwhile.
absl::StatusOr<absl::string_view> ReadFolderFile(const OpenFolder& folder, const std::string& name, bool one_read,
                                                 const std::string& top, std::string& buffer);

// All bytes of an open descriptor; `what` is said to be too large beyond `max_bytes`.
absl::StatusOr<std::string> ReadAll(int fd, uint64_t size_hint, uint64_t max_bytes, const std::string& shown);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_FOLDER_FILES_H_
