#include "lib/published/table_axes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/published/table_cell.h"

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

bool HasNumbers(const TableBlock& block, CommaMeaning comma, size_t header_rows, size_t column) {
  for (size_t row = header_rows; row < block.rows.size(); ++row) {
    const absl::StatusOr<TableCell> cell = ParseTableCell(CellAt(block, row, column), comma);
    if (cell.ok() && !cell->digits.empty()) {
      return true;
    }
  }
  return false;
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
                TableFaults& faults) {
  const bool bare_rows =
      std::any_of(names.rows.begin(), names.rows.end(), [](const TableLabel& row) { return row.number != 0; });
  const bool bare_columns = std::any_of(names.columns.begin(), names.columns.end(), [](const TableColumn& column) {
    return !column.names_rows && column.label.number != 0;
  });
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
  for (size_t i = 0; i < names.columns.size(); ++i) {
    if (!names.columns[i].names_rows && !ReadColumnAxis(axes.columns, names.columns[i]) &&
        HasNumbers(block, comma, names.header_rows, i)) {
      faults.Add(block.rows[0].line,
                 absl::StrCat("column ", i + 1, ": expected a name such as 'epoch time (s)', '4 GPUs' or 'batch 128'",
                              kContextRemedy),
                 CellAt(block, 0, i));
    }
  }
  if (bare_columns && axes.columns == TableAxis::kNone) {
    faults.Add(block.rows[0].line,
               "the columns are numbers of devices or of batches, which is not stated; write '4 GPUs' or 'batch 128', "
               "or add `# columns: devices` or `# columns: batch` above the table");
  }
}

}  // namespace lockstep
