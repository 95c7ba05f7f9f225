// Rows of a CSV file with one printed number per row, below a row of columns.
#ifndef LOCKSTEP_LIB_PUBLISHED_CSV_ROWS_H_
#define LOCKSTEP_LIB_PUBLISHED_CSV_ROWS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/proto/published.pb.h"
#include "lib/published/number_lines.h"

namespace lockstep {

// Returns the fields of a line without quotes, in lower case.
std::vector<std::string> LowerFields(absl::string_view line);

// Returns true if the line names columns of one number per row, by "quantity" and another, or by three of them.
bool NamesCsvColumns(absl::string_view line);

// Returns `status` as DataLoss with PATH:LINE before its message; OK stays OK.
absl::Status AtLine(const std::string& path, int line, const absl::Status& status);

// Returns `tables` with the numbers of the rows added. `text` must begin with the row of columns, which is line
// `first_line` of the file. Adds the line of every number to `lines`. Returns DataLossError, with PATH:LINE, for the
// errors of columns, numbers and units that published_csv.h lists.
absl::StatusOr<proto::PublishedTables> ReadCsvRows(absl::string_view text, const std::string& path, int first_line,
                                                   proto::PublishedTables tables, NumberLines& lines);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_CSV_ROWS_H_
