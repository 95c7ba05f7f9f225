// What a test sees of tables: their cells as text, and whether they are well formed. Test-only.
#ifndef LOCKSTEP_LIB_REPORT_SHOWN_TABLES_H_
#define LOCKSTEP_LIB_REPORT_SHOWN_TABLES_H_

#include <string>
#include <vector>

#include "lib/proto/report.pb.h"

namespace lockstep::testing {

// "text" of the cell, or "- REASON".
std::string Shown(const proto::Cell& cell);
std::vector<std::string> RowOf(const proto::Table& table, int row);

// The table whose caption begins so; none: a failure.
proto::Table TableOf(const std::vector<proto::Section>& sections, const std::string& caption);

// A table has as many cells in each row as columns, and groups that cover them; a blank has a reason and nothing else.
void ExpectWellFormed(const std::vector<proto::Section>& sections);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_REPORT_SHOWN_TABLES_H_
