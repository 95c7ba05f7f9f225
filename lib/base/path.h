// Parts of a path as text, with '/' as the separator. No function asks the file system or normalizes a path ("..",
// links); realpath(3) does both. All functions are thread-safe.
#ifndef LOCKSTEP_LIB_BASE_PATH_H_
#define LOCKSTEP_LIB_BASE_PATH_H_

#include <string>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns the text after the last '/': "b" for "a/b" and for "b", empty for "a/".
std::string FileNameOf(absl::string_view path);

// Returns the folder of `path`: "a" for "a/b", "." for "b", "/" for "/b".
std::string FolderOf(absl::string_view path);

// Returns the path of `name` in `folder`, "a/b" for "a" and "b". An empty folder is the one that names are relative to:
// the result is then `name`.
std::string JoinPath(absl::string_view folder, absl::string_view name);

// Returns the path of `name` in the folder of `path`: "a/c" for "a/b" and "c", "c" for "b" and "c".
std::string SiblingPath(absl::string_view path, absl::string_view name);

// Returns PATH.part, the name of an output until it is complete (lib/record/output_file.h).
std::string PartPath(absl::string_view path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_PATH_H_
