// The files of a folder that could be CIFAR-10's, listed and then read.
#ifndef LOCKSTEP_LIB_CIFAR_FOLDER_FILES_H_
#define LOCKSTEP_LIB_CIFAR_FOLDER_FILES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
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
  Place place;
  std::shared_ptr<const OpenFolder> folder;
  std::string entry;     // its name there
  bool regular = false;  // as its folder says; not of a link
};

struct FolderListing {
  std::vector<FolderFile> files;  // of every kind of CIFAR-10
  FormatFinder finder;            // knows them, and the names of others
};

// Looks at the top, inside the folders there, and inside train/<class>/ and test/<class>/ of both; no deeper. Opens no
// file. NotFound, FailedPrecondition: the folder cannot be opened. Links are followed: the folder is the user's own.
absl::StatusOr<FolderListing> ListFolder(const std::string& path);

// The file's bytes. `shown` is its path for messages. FailedPrecondition: not a regular file (nothing is waited for),
// or larger than kMaxSourceFileBytes. DataLoss: reading failed, or the file changed meanwhile.
absl::StatusOr<std::string> ReadFolderFile(const FolderFile& file, const std::string& shown);

// All bytes of an open descriptor; `what` is said to be too large beyond `max_bytes`.
absl::StatusOr<std::string> ReadAll(int fd, uint64_t size_hint, uint64_t max_bytes, const std::string& shown);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_FOLDER_FILES_H_
