#include "lib/page/own_text.h"

#include "absl/strings/match.h"
#include "lib/page/csv.h"

namespace lockstep {

bool IsReportText(absl::string_view text) {
  const absl::string_view start = text.substr(0, kOwnTextBytes);
  return IsReportCsv(start) || absl::StartsWith(start, "% Made by report.") ||
         absl::StrContains(start, "\n% To \\input: needs \\usepackage{array,booktabs,graphicx}") ||
         absl::StrContains(start, "\n\nNumbers are marked, in the column heading if all numbers of the column share");
}

}  // namespace lockstep
