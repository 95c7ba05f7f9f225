// Access to folders that other people filled: a link may name any file of the machine, a FIFO may have no writer, and a
// folder may be replaced by a link between two calls. No function waits, and none leaves the folder.
#ifndef LOCKSTEP_LIB_CHECKS_UNTRUSTED_FOLDER_H_
#define LOCKSTEP_LIB_CHECKS_UNTRUSTED_FOLDER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/owned_descriptor.h"
#include "lib/record/input_file.h"

namespace lockstep {

// One entry of a folder. A link has its own kind, whatever its target is.
struct FolderEntry {
  enum class Kind { kFile, kFolder, kLink, kOther };
  std::string name;
  Kind kind;
};

// Opens a folder below the open folder `top`, or `top` itself if `path` is empty, without following any link. Returns
// -1 and sets errno if the system cannot open the folder.
OwnedDescriptor OpenFolderBelow(int top, const std::string& path);

// Returns the entries of an open folder without "." and "..", sorted by name; `limit` of them if there are more.
// Returns NotFoundError, with the system's reason as its message, if the folder cannot be listed.
absl::StatusOr<std::vector<FolderEntry>> EntriesOf(int folder, size_t limit);

// Returns true if an entry is a link to a folder. Opens no file.
bool IsLinkToFolder(int folder, const std::string& name);

// A regular file, and its size at the time of opening.
struct RegularFile {
  InputFile file;
  uint64_t size;
};

// Opens a regular file below the open folder `top`. A link is followed if it stays below `top` (openat2, Linux 5.6); on
// a system without openat2, no link is followed. The message of an error is only the reason. Returns
// FailedPreconditionError for a link that leaves `top` and for anything but a regular file, and NotFoundError if the
// system cannot open the file.
absl::StatusOr<RegularFile> OpenFileBelow(int top, const std::string& path);

// Reads the first `size` bytes, or fewer if the file has become shorter. Returns DataLossError if reading fails, and
// CancelledError after a stop signal.
absl::StatusOr<std::string> ReadStartOf(const RegularFile& file, uint64_t size);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_UNTRUSTED_FOLDER_H_
