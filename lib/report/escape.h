// Text from records made safe for HTML, XML and Markdown: a device may be called <b>, and a path may hold a |. All of
// these functions escape characters that a person does not see (ReadableText): XML has no form for most of them, and in a
// page or a terminal they change what stands around them. All are thread-safe.
#ifndef LOCKSTEP_LIB_REPORT_ESCAPE_H_
#define LOCKSTEP_LIB_REPORT_ESCAPE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns `text` as element content or as an attribute value in double or single quotes, of HTML and of any XML (SVG,
// JUnit). The result is UTF-8, whatever the bytes of `text`, and well-formed in XML 1.0.
std::string EscapeHtml(absl::string_view text);

// Returns `text` for a paragraph or a table cell: characters that Markdown (CommonMark, GitHub's tables) would take as
// markup are escaped, line ends and tabs become spaces.
std::string EscapeMarkdown(absl::string_view text);

// `text` as code. Within backticks nothing is markup but a backtick, which becomes an apostrophe, and what ends the paragraph
// before the second one is found: line ends become spaces.
std::string MarkdownCode(absl::string_view text);

// The target of a link: bytes other than those that RFC 3986 lets stand in a path become %HH.
std::string MarkdownTarget(absl::string_view path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_ESCAPE_H_
