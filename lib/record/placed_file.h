// Open files and the names that they get: the steps by which lib/record/output_file.h puts a file in place.
#ifndef LOCKSTEP_LIB_RECORD_PLACED_FILE_H_
#define LOCKSTEP_LIB_RECORD_PLACED_FILE_H_

#include <sys/stat.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lockstep {

// The file that a path names at one moment, so that a change can be noticed later. A link is not followed.
class FileState {
 public:
  FileState() = default;  // nothing is there
  static FileState Of(const std::string& path);

  bool is_there() const { return is_there_; }

  // Returns whether both name the same file, and nobody has written to it in between.
  bool operator==(const FileState& other) const;

  // Returns the state as text, empty if nothing is there; FromText reads it in another process.
  std::string ToText() const;
  static FileState FromText(const std::string& text);

 private:
  bool is_there_ = false;
  struct stat info_ = {};
};

// Returns whether `name` still names the file that `fd` has open.
bool NamesFile(const std::string& name, int fd);

// Locks the open file (flock). `path` is the output, for messages. FailedPreconditionError if another process holds the
// lock, InvalidArgumentError if the file system has no locks.
absl::Status LockFile(int fd, const std::string& path);

// Opens a new file in the folder of `path`. The file has no name if the file system allows that, and then vanishes with
// the process; otherwise `name` is the unique name that it has.
absl::StatusOr<int> OpenUnnamedFile(const std::string& path, std::string& name);

// Gives the open file a unique name in the folder of `path`, and returns the name. The file must have none.
absl::StatusOr<std::string> NameFile(int fd, const std::string& path);

// Names the open file, which must have no name, `path`. AlreadyExistsError if something is at `path`.
absl::Status NameFileAs(int fd, const std::string& path);

// Renames a file. If `replaces` is false, AlreadyExistsError if something is at `path`; a file system that cannot look
// and rename at once replaces it.
absl::Status RenameFile(const std::string& from, const std::string& path, bool replaces);

// Gives the open file the permissions of the regular file at `path`, if there is one, and its owner and group as far as
// the system allows. If the group cannot be kept, the group's permissions are dropped.
void KeepPermissions(const std::string& path, int fd);

// Syncs a folder, so that the names in it survive a loss of power. Errors like WriteError.
absl::Status SyncFolder(const std::string& folder);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_PLACED_FILE_H_
