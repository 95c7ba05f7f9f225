// The formats of a report, and the files of each format.
#ifndef LOCKSTEP_LIB_REPORT_REPORT_FORMAT_H_
#define LOCKSTEP_LIB_REPORT_REPORT_FORMAT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

enum class ReportFormat { kHtml, kMarkdown, kLatex, kCsv, kJson };

// Formats in the order of the enum, each once.
using ReportFormats = std::vector<ReportFormat>;

// Parses "latex", "html,csv", "all". If `words` is empty, the ending of `output` decides: .tex, .csv or .json; for any
// other name the result is HTML and Markdown. Returns InvalidArgumentError for an unknown word.
absl::StatusOr<ReportFormats> ParseReportFormats(absl::string_view words, absl::string_view output);

// Returns "html,markdown".
std::string NameOfFormats(const ReportFormats& formats);

// Size of the LaTeX document: everything, or at most four pages (lib/page/latex_hand_in.h).
enum class LatexSize { kDocument, kHandIn };

// Parses "document" or "hand_in". Returns InvalidArgumentError for any other word.
absl::StatusOr<LatexSize> ParseLatexSize(absl::string_view name);

bool HasFormat(const ReportFormats& formats, ReportFormat format);

// Removes an ending that report writes: "out/report" for "out/report.html".
std::string StemOfReport(const std::string& output);

// Return "out/report.html", and "out/report.audit.html" for an audit.
std::string PageFile(const std::string& stem, ReportFormat format);
std::string AuditFile(const std::string& stem, ReportFormat format);

// Returns the path of the report's record: "out/report.rec" for the output "out/report.html". If that file is one of
// `inputs` or a record of another tool, the result is "out/report.report.rec", so that `report sweep.rec
// --output=sweep.html` replaces no measurement. An output that itself ends in ".rec" is always the record. Reads the
// file's first bytes: a run must call the function once and keep the result.
std::string ReportRecordFile(const std::string& output, const std::vector<std::string>& inputs);

// Return the folder of the plots "out/report.plots", and a plot in it, "out/report.plots/speedup.svg", of the id
// "speedup" and the ending ".svg".
std::string PlotFolder(const std::string& stem);
std::string PlotFile(const std::string& stem, const std::string& id, absl::string_view ending);

// Returns InvalidArgumentError if the name ends like a format that report does not write.
absl::Status CheckIsNoOtherFormat(const std::string& output);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_REPORT_FORMAT_H_
