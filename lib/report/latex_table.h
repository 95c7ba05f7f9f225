// A table of the report as LaTeX to \input: booktabs rules, a caption, a label, and the notes below.
#ifndef LOCKSTEP_LIB_REPORT_LATEX_TABLE_H_
#define LOCKSTEP_LIB_REPORT_LATEX_TABLE_H_

#include <string>

#include "lib/proto/report.pb.h"

namespace lockstep {

// Stands by itself: \input in any document that uses array, booktabs and graphicx, in the place where it is read. The
// label is tab:NAME. LaTeX numbers tables, so a "Table 1: " before the caption is left off.
//
// Words are wrapped where a table would be broader than the line, a table that is too broad all the same is made smaller,
// and one of many rows is cut into several of one number.
std::string LatexTable(const proto::Table& table, const std::string& name);

// The number in front of a caption, "Table 3: ..."; 0: none.
int NumberInCaption(const std::string& caption);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_LATEX_TABLE_H_
