// Whether a file can be put at a path, looked at without opening anything: asked before hours of work, and again when
// the file is opened.
#ifndef LOCKSTEP_LIB_RECORD_OUTPUT_PLACE_H_
#define LOCKSTEP_LIB_RECORD_OUTPUT_PLACE_H_

#include <string>

#include "absl/status/status.h"

namespace lockstep {

// The folder that `path` lies in: "a" for "a/b", "." for "b".
std::string FolderOf(const std::string& path);

// InvalidArgument: the folder of PATH is missing, is no folder, or may not be written to (which is left to the opening
// when there is a file at PATH: it may be the result already); PATH is a folder, a device or a pipe; PATH.part is there
// and no regular file. A full disk, a quota and another writer are found when the file is opened.
absl::Status CheckOutputPlace(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_OUTPUT_PLACE_H_
