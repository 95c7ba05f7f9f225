// The report stage: records in, what people hand in out.
#ifndef LOCKSTEP_LIB_REPORT_REPORT_H_
#define LOCKSTEP_LIB_REPORT_REPORT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/report/arrange.h"

namespace lockstep {

enum class ReportFormat { kHtml, kMarkdown, kAll };

// "html", "markdown" or "all"; InvalidArgument otherwise.
absl::StatusOr<ReportFormat> ParseReportFormat(absl::string_view name);

struct ReportOptions {
  std::vector<std::string> inputs;  // record files of any of the five kinds, in any order; "-": standard input
  // STEM.html; an ending .html, .md or .rec is left off to get STEM. Written are
  //     STEM.html       one page, plots inside
  //     STEM.md         and for its plots STEM.PLOT.svg (STEM.epoch_time.svg, ...)
  //     STEM.rec        the same report as a record (lib/proto/report.proto); last, so that it marks a complete report
  // "-": the page (or the Markdown) goes to standard output and nothing else is written.
  std::string output = "report.html";
  ReportFormat format = ReportFormat::kAll;
  PageStyle style = PageStyle::kGiven;
  // Also STEM.audit.html, or STEM.audit.md, or both: the published tables under audit. Without it they are on no page.
  bool audit = false;
  bool force = false;
  bool dry_run = false;  // read the records and make the sections; draw and write nothing
};

// Reads the records, and writes the report unless one with the same cache key is there. Without gnuplot the report is
// made all the same, and says in the place of each plot how to install it.
//
// All files appear together: when one cannot be written (a full disk), the report before stays as it was. Plots of the
// Markdown page before that the new one does not show are removed.
//
// Says on stderr what it wrote and the verdict (verdict.h).
//
// InvalidArgument: no input, --output=- with kAll or an audit, an output named as a format that report does not write, or as
// DeclareRunFiles. Unavailable: gnuplot was
// killed. Other errors as ReadLabRecords and RecordWriter.
absl::Status RunReport(const ReportOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_REPORT_H_
