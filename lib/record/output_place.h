// Checks whether a file can be put at a path, without opening a file: before hours of work, and again when the output
// is opened.
#ifndef LOCKSTEP_LIB_RECORD_OUTPUT_PLACE_H_
#define LOCKSTEP_LIB_RECORD_OUTPUT_PLACE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Returns InvalidArgumentError if
//     - the folder of PATH does not exist, is not a folder, or is not writable. If PATH exists, it may be the result
//       already; a folder that is not writable is then reported only when the output is opened;
//     - PATH is a folder, a device, a pipe, or a file that is a mount of its own (docker -v FILE:FILE), over which no
//       file can be renamed;
//     - PATH.part exists and is not a regular file.
// A full disk, a quota and another writer are reported only when the output is opened.
absl::Status CheckOutputPlace(const std::string& path);

// Returns the error for `error`, the errno of a call that opens, locks or renames an output: WriteError's, or
// InvalidArgumentError if a file cannot be renamed over a mounted file or the file system cannot lock files.
absl::Status PlaceError(absl::string_view message, int error);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_OUTPUT_PLACE_H_
