// Names of the rows and columns of a printed table.
#ifndef LOCKSTEP_LIB_PUBLISHED_TABLE_NAMES_H_
#define LOCKSTEP_LIB_PUBLISHED_TABLE_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/published/label_words.h"
#include "lib/published/left_out_names.h"
#include "lib/published/table_blocks.h"
#include "lib/published/table_faults.h"
#include "lib/published/table_label.h"

namespace lockstep {

// Axes that remarks and the line above a table state for names that are only numbers.
struct StatedAxes {
  TableAxis rows = TableAxis::kNone;
  TableAxis columns = TableAxis::kNone;
  std::vector<TableAxis> title;  // words of the line above the table
};

struct TableColumn {
  TableLabel label;
  bool names_rows = false;  // true if its cells are names of rows
  bool is_usable = true;    // false if its name is not understood, in which case it is left out, or an error has been
                            // added, if it has numbers; also false for a quantity that is not read
};

struct TableNames {
  size_t header_rows = 1;
  TableLabel corner;  // name of the first column, if it names rows: it may state the quantity of the whole table
  std::vector<TableColumn> columns;
  std::vector<TableLabel>
      rows;  // one per row below the header; empty if there is no header. A `number` that is left has
             // no meaning; an error has been added. `is_unused` is also true for a row that is left out
};

// Returns the cell; empty beyond the end of the row.
absl::string_view CellAt(const TableBlock& block, size_t row, size_t column);

// Returns the number of cells with a number in the column, below `header_rows`.
uint32_t NumbersInColumn(const TableBlock& block, CommaMeaning comma, size_t header_rows, size_t column);

// Reads the names of a table, which must have at least two rows. Adds a name that is not understood to `left_out` if
// the table has other rows or columns that are understood; otherwise, and if `left_out` refuses the name, to `faults`.
TableNames ReadTableNames(const TableBlock& block, CommaMeaning comma, const StatedAxes& stated, LeftOutNames& left_out,
                          TableFaults& faults);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_TABLE_NAMES_H_
