// Names of the rows and columns of a printed table.
#ifndef LOCKSTEP_LIB_PUBLISHED_TABLE_NAMES_H_
#define LOCKSTEP_LIB_PUBLISHED_TABLE_NAMES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/published/label_words.h"
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
  bool is_usable = true;    // false if its name is not understood, in which case an error has been added if it has
                            // numbers; also false for a quantity that is not read
};

struct TableNames {
  size_t header_rows = 1;
  TableLabel corner;  // name of the first column, if it names rows: it may state the quantity of the whole table
  std::vector<TableColumn> columns;
  std::vector<TableLabel>
      rows;  // one per row below the header; empty if there is no header. A `number` that is left has
             // no meaning; an error has been added
};

// Returns the cell; empty beyond the end of the row.
absl::string_view CellAt(const TableBlock& block, size_t row, size_t column);

// Reads the names of a table, which must have at least two rows. Adds errors to `faults`.
TableNames ReadTableNames(const TableBlock& block, CommaMeaning comma, const StatedAxes& stated, TableFaults& faults);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_TABLE_NAMES_H_
