#include "lib/published/table_axes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace lockstep {
namespace {

TableAxis OtherAxis(TableAxis axis) { return axis == TableAxis::kDevices ? TableAxis::kBatch : TableAxis::kDevices; }

// Axes of the numbers in the names of a table.
struct NameAxes {
  TableAxis rows = TableAxis::kNone;
  TableAxis columns = TableAxis::kNone;
};

NameAxes AxesOf(const TableNames& names, const StatedAxes& stated, bool bare_rows) {
  const std::vector<TableAxis>& corner = names.corner.axes;
  NameAxes axes = {stated.rows, stated.columns};
  if (corner.size() > 1) {
    axes = {corner[0], corner[1]};
  } else if (corner.size() == 1 && bare_rows) {
    axes.rows = corner[0];
  } else if (corner.size() == 1 && axes.columns == TableAxis::kNone) {
    axes.columns = corner[0];
  }
  const auto title_has = [&](TableAxis axis) {
    return std::find(stated.title.begin(), stated.title.end(), axis) != stated.title.end();
  };
  if (axes.columns == TableAxis::kNone && axes.rows != TableAxis::kNone && title_has(OtherAxis(axes.rows))) {
    axes.columns = OtherAxis(axes.rows);  // "Epoch time by batch size" above rows of GPUs
  }
  return axes;
}

// Gives the number of a column its meaning. Returns false if the column's name is not understood.
bool ReadColumnAxis(TableAxis axis, TableColumn& column) {
  if (column.label.number != 0 && axis != TableAxis::kNone) {
    AssignNumber(axis, column.label);
  } else if (column.label.number != 0) {
    column.is_usable = false;
  }
  const bool is_understood = column.label.is_unused || column.label.unknown.empty();
  column.is_usable = column.is_usable && is_understood && !column.label.is_unused;
  return is_understood;
}

// Returns the name of a column: its cells in all rows of names. A cell spans the empty cells to its right, except in
// the last row of names.
std::string NameOfColumn(const TableBlock& block, size_t header_rows, size_t column) {
  std::vector<absl::string_view> cells;
  for (size_t row = 0; row < header_rows; ++row) {
    size_t from = column;
    while (row + 1 < header_rows && from > 1 && CellAt(block, row, from).empty()) {
      --from;
    }
    if (const absl::string_view cell = CellAt(block, row, from); !cell.empty()) {
      cells.push_back(cell);
    }
  }
  return absl::StrJoin(cells, " ");
}

// Leaves out a column whose name is not understood, or adds an error. A column without numbers is ignored.
void LeaveOutColumn(const TableBlock& block, size_t column, uint32_t numbers, bool others_state,
                    const TableNames& names, LeftOutNames& left_out, TableFaults& faults) {
  const std::string name = NameOfColumn(block, names.header_rows, column);
  const bool may_leave_out = others_state && !names.columns[column].label.contradicts;
  if (numbers == 0 || (may_leave_out && left_out.Add(name, numbers))) {
    return;
  }
  faults.Add(block.rows[0].line,
             absl::StrCat("column ", column + 1, ": expected a name such as 'epoch time (s)', '4 GPUs' or 'batch 128'",
                          kContextRemedy, left_out.Suggestion(name)),
             name);
}

}  // namespace

void AssignNumber(TableAxis axis, TableLabel& label) {
  TableLabel number;
  if (axis == TableAxis::kBatch) {
    number.batch = std::exchange(label.number, 0);
  } else {
    number.devices = static_cast<uint32_t>(std::min<uint64_t>(std::exchange(label.number, 0), 1'000'000));
  }
  AddToLabel(number, label);
}

void AssignAxes(const TableBlock& block, CommaMeaning comma, const StatedAxes& stated, TableNames& names,
                LeftOutNames& left_out, TableFaults& faults) {
  const bool bare_rows = std::any_of(names.rows.begin(), names.rows.end(),
                                     [](const TableLabel& row) { return row.number != 0 && !row.is_unused; });
  const NameAxes axes = AxesOf(names, stated, bare_rows);
  for (TableLabel& row : names.rows) {
    if (row.number != 0 && axes.rows != TableAxis::kNone) {
      AssignNumber(axes.rows, row);
    }
  }
  if (bare_rows && axes.rows == TableAxis::kNone) {
    faults.Add(block.rows[names.header_rows].line,
               "the rows are numbers of devices or of batches, which is not stated; write 'GPUs' or 'batch' into the "
               "first cell of the table, or add `# rows: devices` or `# rows: batch` above it");
  }
  std::vector<size_t> unknown;
  bool bare_columns = false, others_state = false;
  for (size_t i = 0; i < names.columns.size(); ++i) {
    TableColumn& column = names.columns[i];
    if (column.names_rows) {
      continue;
    }
    const bool is_bare = column.label.number != 0;
    if (!ReadColumnAxis(axes.columns, column)) {
      unknown.push_back(i);
      continue;
    }
    bare_columns = bare_columns || is_bare;
    others_state = others_state || (column.is_usable && NumbersInColumn(block, comma, names.header_rows, i) > 0);
  }
  for (const size_t i : unknown) {
    LeaveOutColumn(block, i, NumbersInColumn(block, comma, names.header_rows, i), others_state, names, left_out,
                   faults);
  }
  if (bare_columns && axes.columns == TableAxis::kNone) {
    faults.Add(block.rows[0].line,
               "the columns are numbers of devices or of batches, which is not stated; write '4 GPUs' or 'batch 128', "
               "or add `# columns: devices` or `# columns: batch` above the table");
  }
}

}  // namespace lockstep
