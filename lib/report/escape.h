// Text from records made safe for HTML and Markdown: a device may be called <b>, and a path may hold a |.
#ifndef LOCKSTEP_LIB_REPORT_ESCAPE_H_
#define LOCKSTEP_LIB_REPORT_ESCAPE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace lockstep {

// For element content and attribute values in double or single quotes.
std::string EscapeHtml(absl::string_view text);

// For a paragraph or a table cell: characters that Markdown (CommonMark, GitHub's tables) would take as markup are
// escaped, line ends become spaces.
std::string EscapeMarkdown(absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_ESCAPE_H_
