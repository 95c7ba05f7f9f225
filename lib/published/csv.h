// Comma-separated values of RFC 4180: fields in double quotes may hold commas, line ends, and doubled quotes; lines end
// in LF or CRLF. Empty lines are not rows. Semicolons and tabs separate fields in many spreadsheets.
#ifndef LOCKSTEP_LIB_PUBLISHED_CSV_H_
#define LOCKSTEP_LIB_PUBLISHED_CSV_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

struct CsvRow {
  int line = 0;  // line on which the row begins, from 1
  std::vector<std::string> fields;
};

// Largest number of rows, and of fields in a row. They bound the memory of a file of separators: a field takes 32
// bytes.
inline constexpr size_t kMaxCsvRows = 100'000;
inline constexpr size_t kMaxCsvFields = 1'000;

// Returns the character that separates the fields of a line: a semicolon or a tab if it is more frequent outside of
// quotes than a comma, otherwise a comma.
char SeparatorOfLine(absl::string_view line);

// Parses rows. `first_line` is the line of the file on which `text` begins. DataLoss, beginning with "LINE: ": a quote
// that is not closed, a quote where none is allowed, or more than kMaxCsvRows or kMaxCsvFields.
absl::StatusOr<std::vector<CsvRow>> ParseCsv(absl::string_view text, int first_line, char separator = ',');

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_CSV_H_
