// Steps by which lib/record/output_file.h names an open file and puts it in place.
#ifndef LOCKSTEP_LIB_RECORD_PLACED_FILE_H_
#define LOCKSTEP_LIB_RECORD_PLACED_FILE_H_

#include <sys/stat.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lockstep {

// State of the file that a path names, by which a later change is detected. Links are not followed.
class FileState {
 public:
  FileState() = default;  // state of a path without a file
  static FileState Of(const std::string& path);

  bool is_there() const { return is_there_; }

  // Returns true if both are states of the same file, which was not written in between.
  bool operator==(const FileState& other) const;

  // Returns the state as text, which FromText can read in another process; empty if there is no file.
  std::string ToText() const;
  static FileState FromText(const std::string& text);

 private:
  bool is_there_ = false;
  struct stat info_ = {};
};

// Returns true if `name` still names the open file.
bool NamesFile(const std::string& name, int fd);

// Locks the open file (flock). `path` is the output, for messages. Returns FailedPreconditionError if another process
// holds the lock, and InvalidArgumentError if the file system has no locks.
absl::Status LockFile(int fd, const std::string& path);

// Opens a new file in the folder of `path`. If the file system allows it, the file has no name and disappears with the
// process; otherwise the file gets a unique name, which is stored in `name`.
absl::StatusOr<int> OpenUnnamedFile(const std::string& path, std::string& name);

// Gives the open file a unique name in the folder of `path`, and returns the name. The file must not have a name.
absl::StatusOr<std::string> NameFile(int fd, const std::string& path);

// Gives the open file, which must not have a name, the name `path`. Returns AlreadyExistsError if `path` exists.
absl::Status NameFileAs(int fd, const std::string& path);

// Renames a file, and replaces the file at `path` if there is one.
absl::Status RenameFile(const std::string& from, const std::string& path);

// Renames a file. Returns AlreadyExistsError if `path` exists; a file system that cannot check and rename atomically
// replaces `path` nevertheless.
absl::Status RenameNewFile(const std::string& from, const std::string& path);

// Gives the open file the permissions of the regular file at `path`, if there is one, and its owner and group as far as
// the system allows. If the group cannot be kept, the group's permissions are dropped.
void KeepPermissions(const std::string& path, int fd);

// Syncs a folder, so that the names in it survive a loss of power. Returns PlaceError's or WriteError's errors.
absl::Status SyncFolder(const std::string& folder);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_PLACED_FILE_H_
