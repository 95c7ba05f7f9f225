// Tables of a text as rows of cells, with the remarks and the line above each: CSV, Markdown or rows of LaTeX.
#ifndef LOCKSTEP_LIB_PUBLISHED_TABLE_BLOCKS_H_
#define LOCKSTEP_LIB_PUBLISHED_TABLE_BLOCKS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/published/remark_key.h"
#include "lib/published/table_cell.h"
#include "lib/published/table_faults.h"

namespace lockstep {

// Largest numbers of cells, and of remarks with `:` or `=`, in one file. They bound memory and time.
inline constexpr size_t kMaxTableCells = 100'000;
inline constexpr size_t kMaxTableRemarks = 10'000;

struct TableRow {
  int line = 0;  // line on which the row ends, from 1
  std::vector<std::string> cells;
};

struct TableBlock {
  std::vector<TableRemark> remarks;  // remarks after the previous table
  std::string title;                 // last lines of text above the table
  std::vector<TableRow> rows;        // empty if remarks follow the last table
};

struct TableBlocks {
  std::vector<TableBlock> blocks;
  CommaMeaning comma = CommaMeaning::kThousands;  // kDecimal: cells are separated by ; or tabs, and commas are decimal
};

// Reads the tables of a text, which must be UTF-8. A table ends at
// - an empty line, except within LaTeX's tabular;
// - a remark with a key;
// - a line of CSV whose only cell is the first, unless this cell names a row: the line is the title of the next table.
// In Markdown a heading is the title. Other remarks are ignored: those with a `:` whose key is unknown, and those
// without a key. Adds errors to `faults`.
TableBlocks ReadTableBlocks(absl::string_view text, TableFaults& faults);

// Returns true if a table has at least two rows and columns, and a number outside of its first row and column, or if a
// remark states the quantity, the unit or the name of a table.
bool HasWideTable(const TableBlocks& blocks);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_TABLE_BLOCKS_H_
