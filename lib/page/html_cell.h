// Text of cells and column headings in the HTML report, and the width that they need.
#ifndef LOCKSTEP_LIB_PAGE_HTML_CELL_H_
#define LOCKSTEP_LIB_PAGE_HTML_CELL_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns ` class="a b"` for the names that are not empty; an empty string if all are.
std::string ClassOf(const std::vector<std::string>& names);

// Returns a number as HTML. Its spread or interval ("± 0.1 (3)", "[1.4, 1.6]") is in a span of class "spread".
std::string NumberHtml(const std::string& text);

// Returns the number of characters of the spread or interval of a cell; 0 if it has none.
size_t SpreadLength(const std::string& text);

// Returns the largest SpreadLength() of a column.
size_t SpreadLength(const proto::Table& table, int column);

// Returns a heading as HTML, with `mark`, which is HTML, after its name. The unit of "time, s" is on a line of its own.
// A long text after the comma is not a unit.
std::string HeadingHtml(const std::string& heading, const std::string& mark);

// Returns the class that sets where a label may be broken. Numbers never are.
std::string LabelClass(const std::string& text);

// Returns the width of a table in characters of its font, with the space between the columns. Long labels count with
// the width at which they are broken.
size_t WidthInCharacters(const proto::Table& table);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_HTML_CELL_H_
