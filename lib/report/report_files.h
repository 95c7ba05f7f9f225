// The pages and plots of one report, which appear together or not at all.
//
// All are written and synced beside their names first (lib/record/output_file.h), so that what a full disk can hinder is
// done before the first of the old ones is replaced.
#ifndef LOCKSTEP_LIB_REPORT_REPORT_FILES_H_
#define LOCKSTEP_LIB_REPORT_REPORT_FILES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/proto/header.pb.h"
#include "lib/record/output_file.h"

namespace lockstep {

// Not thread-safe.
class ReportFiles {
 public:
  ReportFiles() = default;
  ~ReportFiles();  // removes what was not put in place
  ReportFiles(const ReportFiles&) = delete;
  ReportFiles& operator=(const ReportFiles&) = delete;

  // Writes the whole text to PATH.part and syncs it. Errors as OutputFile's.
  absl::Status Add(const std::string& path, absl::string_view text);

  // The files, as a trailer names them.
  const std::vector<proto::Input>& descriptions() const { return descriptions_; }

  // Puts all in place, in the order in which they were added.
  absl::Status Commit();

 private:
  std::vector<std::unique_ptr<OutputFile>> files_;
  std::vector<proto::Input> descriptions_;
};

// The plots that the Markdown page at STEM.md shows from files STEM.*.svg beside it, as paths. Empty when there is no page.
std::vector<std::string> PlotsBeside(const std::string& stem);

// The same of the pieces and plots that the LaTeX document at STEM.tex reads, STEM.*.tex and STEM.*.pdf.
std::vector<std::string> PiecesBeside(const std::string& stem);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_REPORT_FILES_H_
