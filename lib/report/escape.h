// Text from records made safe for HTML and Markdown: a device may be called <b>, and a path may hold a |.
#ifndef LOCKSTEP_LIB_REPORT_ESCAPE_H_
#define LOCKSTEP_LIB_REPORT_ESCAPE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace lockstep {

// For element content and attribute values in double or single quotes.
std::string EscapeHtml(absl::string_view text);

// For a paragraph or a table cell: characters that Markdown (CommonMark, GitHub's tables) would take as markup are
// escaped, line ends and other control characters become spaces.
std::string EscapeMarkdown(absl::string_view text);

// `text` as code. Within backticks nothing is markup but a backtick, which becomes an apostrophe, and what ends the paragraph
// before the second one is found: line ends become spaces.
std::string MarkdownCode(absl::string_view text);

// The target of a link: bytes other than those that RFC 3986 lets stand in a path become %HH.
std::string MarkdownTarget(absl::string_view path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_ESCAPE_H_
