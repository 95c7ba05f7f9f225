// One cell of a CSV file (RFC 4180).
#ifndef LOCKSTEP_LIB_BASE_CSV_CELL_H_
#define LOCKSTEP_LIB_BASE_CSV_CELL_H_

#include <string>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns `text` as a cell that the program itself has formatted, such as a number: in quotes if it holds a comma, a
// quote or a line end. Characters that a person does not see are escaped as by ReadableText. Thread-safe.
std::string CsvCell(absl::string_view text);

// Returns a cell for text of a record or of the user. A spreadsheet would compute text that begins with =, +, - or @,
// also after spaces or in full width; it gets an apostrophe before it, unless it is a number. A text longer than a
// spreadsheet's cell can be (32,767 characters, counted in bytes here) is cut off and ends in "...". Thread-safe.
std::string CsvText(absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_CSV_CELL_H_
