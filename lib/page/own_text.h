// Recognition of the texts that report writes: CSV, Markdown and LaTeX.
#ifndef LOCKSTEP_LIB_PAGE_OWN_TEXT_H_
#define LOCKSTEP_LIB_PAGE_OWN_TEXT_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace lockstep {

// Number of bytes at the beginning of a file that IsReportText needs.
inline constexpr size_t kOwnTextBytes = 1024;

// Returns true if `text` begins like CSV, a Markdown page, a LaTeX document or a LaTeX table that report writes. Such a
// text repeats numbers of records, so it is no table of someone else.
bool IsReportText(absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_OWN_TEXT_H_
