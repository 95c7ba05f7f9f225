// Checks that a page contains only its own markup. For fuzz targets, whose records hold text that looks like markup.
// Test-only.
#ifndef LOCKSTEP_LIB_REPORT_PAGE_CHECK_TESTING_H_
#define LOCKSTEP_LIB_REPORT_PAGE_CHECK_TESTING_H_

#include <string>

#include "absl/strings/string_view.h"

namespace lockstep::testing {

// Returns an empty string if every '<' begins a tag that RenderHtml writes, with quoted attributes and closed in order,
// and every '&' is one of the five entities of XML or a number. Otherwise returns the fault.
std::string WhyNotWellFormed(absl::string_view html);

// Returns an empty string if every row of a table (a line that begins with '|') has as many cells as the table's first
// row. Otherwise returns the row.
std::string WhyTablesBreak(absl::string_view markdown);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_REPORT_PAGE_CHECK_TESTING_H_
