// Cell of a printed table: a number with its sign and unit, or no number.
#ifndef LOCKSTEP_LIB_PUBLISHED_TABLE_CELL_H_
#define LOCKSTEP_LIB_PUBLISHED_TABLE_CELL_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Meaning of a comma between digits.
enum class CommaMeaning { kThousands, kDecimal };

struct TableCell {
  std::string digits;  // digits as printed, with a decimal point, no thousands separators; empty: no number
  std::string unit;    // unit after the number, as in label_words.h; empty: not stated
  std::string spread;  // text from ± on
};

// Reads a cell: "1,024", "1 024", "~12.3", "+5", "1.93x", "97 %", "12.3s", "250 ms", "120.53 ± 0.41". Clock times,
// "2:05" (minutes and seconds) and "1:02:05", become seconds. An empty cell and a word in place of a number
// (blank_cell.h) are no number. Returns InvalidArgumentError for another text, and for commas or points that contradict
// `comma`.
absl::StatusOr<TableCell> ParseTableCell(absl::string_view text, CommaMeaning comma);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_TABLE_CELL_H_
