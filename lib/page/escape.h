// Escapes text from records for HTML, XML and Markdown: a device may be called <b>, and a path may hold a |. All
// functions escape characters that are invisible to people (ReadableText): XML cannot represent most of them, and in a
// page or a terminal they change the surrounding text. All are thread-safe.
#ifndef LOCKSTEP_LIB_PAGE_ESCAPE_H_
#define LOCKSTEP_LIB_PAGE_ESCAPE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns `text` as element content, or as an attribute value in double or single quotes, of HTML and of any XML (SVG,
// JUnit). The result is UTF-8 for any bytes in `text`, and well-formed in XML 1.0.
std::string EscapeHtml(absl::string_view text);

// Returns `text` for a paragraph or a table cell: characters that Markdown (CommonMark, GitHub's tables) would take as
// markup are escaped; line ends and tabs become spaces.
std::string EscapeMarkdown(absl::string_view text);

// Returns `text` as code in backticks. Only two things are markup there: a backtick, which becomes an apostrophe, and a
// line end, which could end the paragraph and becomes a space.
std::string MarkdownCode(absl::string_view text);

// Returns `path` as the target of a link: bytes that RFC 3986 does not allow in a path become %HH.
std::string MarkdownTarget(absl::string_view path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_ESCAPE_H_
