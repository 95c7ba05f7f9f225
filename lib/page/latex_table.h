// A table of the report as LaTeX to \input: booktabs rules, a caption, a label, and the notes below.
#ifndef LOCKSTEP_LIB_PAGE_LATEX_TABLE_H_
#define LOCKSTEP_LIB_PAGE_LATEX_TABLE_H_

#include <string>

#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns a table that any document with array, booktabs and graphicx can \input; it does not float. Its label is
// tab:NAME. LaTeX numbers tables, so a "Table 1: " before the caption is removed.
//
// If the table is wider than the line, words are wrapped; if it is still too wide, it is scaled down. A table of many
// rows is split into several that share one number.
std::string LatexTable(const proto::Table& table, const std::string& name);

// Returns the number in front of a caption, "Table 3: ..."; 0 if it has none.
int NumberInCaption(const std::string& caption);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_LATEX_TABLE_H_
