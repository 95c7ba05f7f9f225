// The pages and plots of one report, which appear together or not at all.
//
// All are written and synced before they get their names (lib/record/output_file.h), so that what a full disk can hinder is
// done before the first of the old ones is replaced.
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

// Not thread-safe.
class ReportFiles {
 public:
  // `rule` says of each file whether it may be replaced.
  explicit ReportFiles(ReplaceRule rule) : rule_(std::move(rule)) {}
  ~ReportFiles() = default;  // files that were not put in place are gone
  ReportFiles(const ReportFiles&) = delete;
  ReportFiles& operator=(const ReportFiles&) = delete;

  // Writes and syncs the whole text, which has no name yet. Errors as OutputFile's.
  absl::Status Add(const std::string& path, absl::string_view text);

  // The files, as a trailer names them.
  const std::vector<proto::Input>& descriptions() const { return descriptions_; }

  // Puts all in place, in the order in which they were added.
  absl::Status Commit();

 private:
  const ReplaceRule rule_;
  std::vector<std::unique_ptr<OutputFile>> files_;
  std::vector<proto::Input> descriptions_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_REPORT_FILES_H_
