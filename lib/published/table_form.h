// Form in which the tables of a text are written, and the separator and decimal sign of their cells.
#ifndef LOCKSTEP_LIB_PUBLISHED_TABLE_FORM_H_
#define LOCKSTEP_LIB_PUBLISHED_TABLE_FORM_H_

#include <cstddef>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace lockstep {

enum class TableForm { kCsv, kMarkdown, kLatex };

// Calls `use` with each line, without its end, and its number.
template <typename Use>
void ForEachLine(absl::string_view text, const Use& use) {
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    use(absl::StripSuffix(text.substr(0, end), "\r"), number);
    text.remove_prefix(end == absl::string_view::npos ? text.size() : end + 1);
  }
}

// Returns kLatex if a line is a row of LaTeX, else kMarkdown if a line is a row of Markdown, else kCsv.
TableForm FormOf(absl::string_view text);

// Returns the separator of most lines of CSV: a comma, a semicolon or a tab. A comma next to another separator is a
// decimal comma.
char SeparatorOfText(absl::string_view text);

// Returns true if `sign` must be the decimal sign of a cell, because it stands in front of other than three digits or
// after a single 0.
bool ShowsDecimal(absl::string_view cell, char sign);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_TABLE_FORM_H_
