// The report as one CSV file (RFC 4180): a line for each answer, cell and point of a plot.
#ifndef LOCKSTEP_LIB_REPORT_CSV_H_
#define LOCKSTEP_LIB_REPORT_CSV_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Columns: kind (answer, cell, point), section, of (question, caption of the table, title of the plot), row (its number,
// or x), label (the row's first cell, or the series), column, text (as shown, or y), provenance, exact (all digits, where
// text is rounded), method, note (a remark, or why there is no number). Text that a spreadsheet would compute gets an
// apostrophe before it.
std::string RenderCsv(const std::vector<proto::Section>& sections);

// Returns true if `text` begins like RenderCsv's result.
bool IsReportCsv(absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_CSV_H_
