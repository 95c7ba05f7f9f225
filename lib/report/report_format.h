// The formats of a report, and the files of each.
#ifndef LOCKSTEP_LIB_REPORT_REPORT_FORMAT_H_
#define LOCKSTEP_LIB_REPORT_REPORT_FORMAT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

enum class ReportFormat { kHtml, kMarkdown, kLatex, kCsv, kJson };

// In the order of the enum, each once.
using ReportFormats = std::vector<ReportFormat>;

// "latex", "html,csv", "all". Empty: the one that `output` ends in, of .tex, .csv and .json; of any other name, HTML and
// Markdown. InvalidArgument: a word that is none.
absl::StatusOr<ReportFormats> ParseReportFormats(absl::string_view words, absl::string_view output);

// "html,markdown".
std::string NameOfFormats(const ReportFormats& formats);

bool HasFormat(const ReportFormats& formats, ReportFormat format);

// Without an ending that a report writes: "out/report" for "out/report.html".
std::string StemOfReport(const std::string& output);

// "out/report.html"; of an audit "out/report.audit.html".
std::string PageFile(const std::string& stem, ReportFormat format);
std::string AuditFile(const std::string& stem, ReportFormat format);

// InvalidArgument: the name ends as of a format that report does not write.
absl::Status CheckIsNoOtherFormat(const std::string& output);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_REPORT_FORMAT_H_
