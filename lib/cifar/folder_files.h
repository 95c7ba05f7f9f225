// Files of a folder that may be CIFAR-10's: listed first, read later.
#ifndef LOCKSTEP_LIB_CIFAR_FOLDER_FILES_H_
#define LOCKSTEP_LIB_CIFAR_FOLDER_FILES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/base/owned_descriptor.h"
#include "lib/cifar/input_format.h"
#include "lib/record/input_file.h"

namespace lockstep {

struct FolderFile {
  CifarPath place;  // place in CIFAR-10; the last part of place.name is the file's name in `folder`
  std::shared_ptr<const OwnedDescriptor> folder;  // innermost folder, relative to which the file is opened
  bool regular = false;                           // true if the folder's entry says so; false for a link
};

struct FolderListing {
  std::vector<FolderFile> files;  // files of every version of CIFAR-10
  FormatFinder finder;            // counts of these files, and names of others
};

// Lists the files at the top, in the folders there, and in SPLIT/<class>/ (split_folders.h) of both levels, but no
// deeper. Opens no file. Follows links, because the folder is the user's own. NotFound, FailedPrecondition: the folder
// cannot be opened.
absl::StatusOr<FolderListing> ListFolder(const std::string& path);

// Returns the bytes of the file in `folder` whose name is the last part of `name`. The bytes are in `buffer`, which may
// stay larger than the file, so that the next file can reuse its memory. If `one_read` is true, the file must be known
// to be regular, and should be small. Messages begin with "TOP: NAME".
//   - FailedPrecondition: not a regular file (the call does not wait for a FIFO), or larger than kMaxSourceFileBytes.
//   - DataLoss: reading failed, or the file changed meanwhile.
absl::StatusOr<absl::string_view> ReadFolderFile(const OwnedDescriptor& folder, const std::string& name, bool one_read,
                                                 const std::string& top, std::string& buffer);

// Returns all bytes of an open file. FailedPrecondition: more than `max_bytes`. Messages begin with `shown`.
absl::StatusOr<std::string> ReadAll(const InputFile& file, uint64_t size_hint, uint64_t max_bytes,
                                    const std::string& shown);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_FOLDER_FILES_H_
