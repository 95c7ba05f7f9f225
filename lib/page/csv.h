// The report as one CSV file (RFC 4180) with a line for each answer, each cell and each point of a plot.
#ifndef LOCKSTEP_LIB_PAGE_CSV_H_
#define LOCKSTEP_LIB_PAGE_CSV_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Renders the sections. Columns: kind (answer, cell, point), section, of (question, caption of the table, title of the
// plot), row (its number, or x), label (the row's first cell, or the series), column, text (as shown, or y),
// provenance, exact (all digits, if text is rounded), method, note (a remark, or the reason why there is no number).
// Text that a spreadsheet would evaluate gets an apostrophe in front.
std::string RenderCsv(const std::vector<proto::Section>& sections);

// Returns true if `text` begins like RenderCsv's result.
bool IsReportCsv(absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_CSV_H_
