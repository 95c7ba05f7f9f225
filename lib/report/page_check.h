// Whether a page's markup is its own: for fuzz targets, whose records hold text that wants to be markup. Test-only.
#ifndef LOCKSTEP_LIB_REPORT_PAGE_CHECK_H_
#define LOCKSTEP_LIB_REPORT_PAGE_CHECK_H_

#include <string>

#include "absl/strings/string_view.h"

namespace lockstep::testing {

// Empty when every '<' begins a tag that RenderHtml writes, with quoted attributes, closed in order, and every '&' is one
// of the five entities of XML or a number. Else what is wrong.
std::string WhyNotWellFormed(absl::string_view html);

// Empty when every row of a table (a line that begins with '|') has as many cells as the table's first row. Else the
// row.
std::string WhyTablesBreak(absl::string_view markdown);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_REPORT_PAGE_CHECK_H_
