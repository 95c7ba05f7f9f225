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

// Returns a number as HTML. Its spread or interval is in a span of class "spread": "± 0.1 (3)", "1.4–1.6" for
// "[1.4, 1.6]"; an interval with a negative end keeps its brackets.
std::string NumberHtml(const std::string& text);

// Returns the number of characters of the spread or interval as shown; 0 if it has none.
size_t SpreadLength(const std::string& text);

// Returns the largest SpreadLength() of a column.
size_t SpreadLength(const proto::Table& table, int column);

// Returns a heading as HTML, with `mark`, which is HTML, after its name. The unit of "time, s" is on a line of its own.
// A long text after the comma is not a unit.
std::string HeadingHtml(const std::string& heading, const std::string& mark);

// Returns the class that sets where a label may be broken. Numbers never are.
std::string LabelClass(const std::string& text);

// Returns true for a column that is right-aligned: one with a number, and one whose labels are all digits ("2,048").
bool ShowsNumbers(const proto::Table& table, int column);

// Returns the width of a table in CSS pixels, with spreads next to the numbers, in a wide font (DejaVu Sans). Long
// labels count with the width at which they are broken.
double WidthInPixels(const proto::Table& table);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_HTML_CELL_H_
