// Whether a file can be put at a path, looked at without opening anything: asked before hours of work, and again when
// the file is opened.
#ifndef LOCKSTEP_LIB_RECORD_OUTPUT_PLACE_H_
#define LOCKSTEP_LIB_RECORD_OUTPUT_PLACE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// The folder that `path` lies in: "a" for "a/b", "." for "b".
std::string FolderOf(const std::string& path);

// InvalidArgument: the folder of PATH is missing, is no folder, or may not be written to (which is left to the opening
// when there is a file at PATH: it may be the result already); PATH is a folder, a device, a pipe, or a file that is
// mounted by itself (docker -v FILE:FILE), onto which nothing can be renamed; PATH.part is there and no regular file. A
// full disk, a quota and another writer are found when the file is opened.
absl::Status CheckOutputPlace(const std::string& path);

// Returns the error for `error`, the errno of a call that opens, locks or renames an output. Errors like WriteError's, and
// InvalidArgumentError if a file cannot be renamed onto a mounted file, or the file system cannot lock files.
absl::Status PlaceError(absl::string_view message, int error);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_OUTPUT_PLACE_H_
