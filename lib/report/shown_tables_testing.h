// Tables as text, and a check that they are well formed. Test-only.
#ifndef LOCKSTEP_LIB_REPORT_SHOWN_TABLES_TESTING_H_
#define LOCKSTEP_LIB_REPORT_SHOWN_TABLES_TESTING_H_

#include <string>
#include <vector>

#include "lib/proto/report.pb.h"

namespace lockstep::testing {

// Returns the text of the cell, or "- REASON".
std::string Shown(const proto::Cell& cell);
std::vector<std::string> RowOf(const proto::Table& table, int row);

// Returns the table whose caption begins with `caption`. The test fails if there is none.
proto::Table TableOf(const std::vector<proto::Section>& sections, const std::string& caption);

// Expects that every row has one cell per column, that groups cover the columns, and that a blank cell has only a
// reason.
void ExpectWellFormed(const std::vector<proto::Section>& sections);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_REPORT_SHOWN_TABLES_TESTING_H_
