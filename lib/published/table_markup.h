// Rows of tables in Markdown and LaTeX, as texts of their cells. The cells of a row are cut off after kMaxCsvFields
// (csv.h) + 1, so that a reader sees that there are too many.
#ifndef LOCKSTEP_LIB_PUBLISHED_TABLE_MARKUP_H_
#define LOCKSTEP_LIB_PUBLISHED_TABLE_MARKUP_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns true for a row of Markdown: text between two or more `|`.
bool IsMarkdownRow(absl::string_view line);

// Returns the cells of a row of Markdown without emphasis; empty for the line of dashes below the names of columns.
std::vector<std::string> MarkdownCells(absl::string_view line);

// Returns true if the line has an `&` and a `\\`, like a row of LaTeX.
bool IsLatexRow(absl::string_view line);

// Returns a line of LaTeX without its comment.
absl::string_view WithoutLatexComment(absl::string_view line);

// Returns the text of a piece of LaTeX: commands of fonts and rules are removed, \times, \pm, \% and the like become
// characters. \begin, \end, \cmidrule, \label and their arguments are removed.
std::string LatexText(absl::string_view latex);

// Returns the texts of the cells of a row, without its `\\`. A cell of \multicolumn{N} is followed by N-1 empty cells.
std::vector<std::string> LatexCells(absl::string_view row);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_TABLE_MARKUP_H_
