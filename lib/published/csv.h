// Comma-separated values as RFC 4180 has them: fields in double quotes may hold commas, line ends, and quotes written
// twice; lines end in LF or CRLF. Lines that are empty are no rows.
#ifndef LOCKSTEP_LIB_PUBLISHED_CSV_H_
#define LOCKSTEP_LIB_PUBLISHED_CSV_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

struct CsvRow {
  int line = 0;  // on which it begins, from 1
  std::vector<std::string> fields;
};

// `first_line` is the line of the file on which `text` begins. DataLoss, beginning with "LINE: ": a quote that is not
// closed, or one where none may be.
absl::StatusOr<std::vector<CsvRow>> ParseCsv(absl::string_view text, int first_line);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_CSV_H_
