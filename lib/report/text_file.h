// Text files that appear whole or not at all.
#ifndef LOCKSTEP_LIB_REPORT_TEXT_FILE_H_
#define LOCKSTEP_LIB_REPORT_TEXT_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/proto/header.pb.h"

namespace lockstep {

// Writes the whole text to PATH (lib/record/output_file.h, which says the errors), and describes the file as a trailer
// names it.
absl::StatusOr<proto::Input> WriteTextFile(const std::string& path, absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_TEXT_FILE_H_
