// The pages and plots of one report, which appear together or not at all.
//
// All files are written and synced before they get their names (lib/record/output_file.h). Hence everything that a full
// disk can prevent happens before the first old file is replaced.
#ifndef LOCKSTEP_LIB_REPORT_REPORT_FILES_H_
#define LOCKSTEP_LIB_REPORT_REPORT_FILES_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/proto/header.pb.h"
#include "lib/record/output_file.h"

namespace lockstep {

// Set of new files. Not thread-safe.
class ReportFiles {
 public:
  // `rule` decides for each file whether it may be replaced.
  explicit ReportFiles(ReplaceRule rule) : rule_(std::move(rule)) {}
  ~ReportFiles();  // discards files that were not put in place, and the folders that Add made for them
  ReportFiles(const ReportFiles&) = delete;
  ReportFiles& operator=(const ReportFiles&) = delete;

  // Writes and syncs the whole text to a file that has no name yet. Makes the file's folder if only that is missing.
  // Errors are those of OutputFile.
  absl::Status Add(const std::string& path, absl::string_view text);

  // Returns the files in the form that a trailer lists.
  const std::vector<proto::Input>& descriptions() const { return descriptions_; }

  // Puts all files in place, in the order in which they were added.
  absl::Status Commit();

 private:
  const ReplaceRule rule_;
  std::vector<std::unique_ptr<OutputFile>> files_;
  std::vector<proto::Input> descriptions_;
  std::vector<std::string> made_folders_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_REPORT_FILES_H_
