// One cell of a CSV file (RFC 4180).
#ifndef LOCKSTEP_LIB_BASE_CSV_CELL_H_
#define LOCKSTEP_LIB_BASE_CSV_CELL_H_

#include <string>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns the cell for text that the program itself has formatted, such as a number. The cell is quoted if it holds a
// comma, a quote or a line end. Invisible characters are escaped by ReadableText. Thread-safe.
std::string CsvCell(absl::string_view text);

// Returns the cell for text from a record or from the user. A spreadsheet would compute text that begins with =, +, -
// or @, also after spaces or in full width; such text gets a leading apostrophe unless it is a number. Text that is
// longer than a spreadsheet's cell may be (32,767 characters, counted in bytes here) is cut off and ends in "...".
// Thread-safe.
std::string CsvText(absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_CSV_CELL_H_
