// Text files that appear whole or not at all.
#ifndef LOCKSTEP_LIB_REPORT_TEXT_FILE_H_
#define LOCKSTEP_LIB_REPORT_TEXT_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Writes PATH.part, syncs it, and renames it to PATH. On an error PATH is as it was and PATH.part is gone. NotFound:
// the folder does not exist. InvalidArgument: PATH cannot be written, or is a folder.
absl::Status WriteTextFile(const std::string& path, absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_TEXT_FILE_H_
