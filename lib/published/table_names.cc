#include "lib/published/table_names.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/base/utf8.h"
#include "lib/published/table_axes.h"
#include "lib/published/table_cell.h"

namespace lockstep {
namespace {

constexpr size_t kMaxHeaderRows = 3;

bool IsWhole(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return absl::ascii_isdigit(c); });
}

// Returns true if the label names one axis and states nothing else.
bool NamesAxisOnly(const TableLabel& label) {
  return label.axes.size() == 1 && label.quantity == proto::PUBLISHED_QUANTITY_UNSPECIFIED && label.unit.empty() &&
         label.devices == 0 && label.batch == 0 && label.number == 0 && label.unknown.empty() && !label.is_ideal &&
         label.context.empty();
}

// Returns the context that a cell of a column states: "ResNet-50", or "seqlen 2048" with the name of the column.
std::string ContextOfCell(absl::string_view column, absl::string_view text) {
  constexpr size_t kMaxContextBytes = 60;
  const std::string plain = absl::StrReplaceAll(text, {{"*", ""}});
  const std::string context = IsWhole(plain) ? absl::StrCat(absl::StripAsciiWhitespace(column), " ", plain) : plain;
  return std::string(FirstBytes(absl::StripAsciiWhitespace(context), kMaxContextBytes));
}

// Reads one table.
class NameReader {
 public:
  NameReader(const TableBlock& block, CommaMeaning comma, const StatedAxes& stated, LeftOutNames& left_out,
             TableFaults& faults)
      : block_(block), comma_(comma), stated_(stated), left_out_(left_out), faults_(faults) {
    for (const TableRow& row : block.rows) {
      width_ = std::max(width_, row.cells.size());
    }
  }

  TableNames Read() {
    while (names_.header_rows < kMaxHeaderRows && IsHeader(names_.header_rows)) {
      ++names_.header_rows;
    }
    ReadColumns();
    names_.rows.resize(block_.rows.size() - names_.header_rows);
    if (IsWhole(CellAt(block_, 0, 0))) {
      faults_.Add(Line(0), "the first row has numbers and no names; write a row of names above them");
      names_.rows.clear();
      return std::move(names_);
    }
    FindRowNames();
    ReadRows();
    LeaveOutRows();
    AssignAxes(block_, comma_, stated_, names_, left_out_, faults_);
    return std::move(names_);
  }

 private:
  // Returns true for a row of names below others: words only ("(s)"), or numbers below names that each span several
  // columns ("batch 32", empty).
  bool IsHeader(size_t row) const {
    if (row + 1 >= block_.rows.size()) {
      return false;
    }
    bool has_number = false, has_words = false, are_whole = true, is_spanned = false;
    for (size_t column = 1; column < width_; ++column) {
      const absl::string_view text = CellAt(block_, row, column);
      const absl::StatusOr<TableCell> cell = ParseTableCell(text, comma_);
      has_words = has_words || !cell.ok();
      has_number = has_number || (cell.ok() && !cell->digits.empty());
      are_whole = are_whole && (!cell.ok() || cell->digits.empty() || IsWhole(cell->digits));
      is_spanned = is_spanned || CellAt(block_, row - 1, column).empty();
    }
    if (!has_number) {
      return has_words;
    }
    const absl::string_view first = CellAt(block_, row, 0);
    return are_whole && is_spanned && CellAt(block_, row - 1, 0).empty() &&
           (first.empty() || NamesAxisOnly(ParseTableLabel(first)));
  }

  // Merges the names above each column. A name spans the empty cells to its right, except in the last row of names.
  void ReadColumns() {
    names_.columns.resize(width_);
    for (size_t row = 0; row < names_.header_rows; ++row) {
      absl::string_view spanning;
      for (size_t column = 0; column < width_; ++column) {
        absl::string_view text = CellAt(block_, row, column);
        if (column > 0 && row + 1 < names_.header_rows) {
          spanning = text.empty() ? spanning : text;
          text = spanning;
        }
        AddToLabel(ParseTableLabel(text), names_.columns[column].label);
      }
    }
  }

  // Returns true for a column "GPU" whose cells are texts without a number of devices: models of a GPU.
  bool NamesModels(size_t column) const {
    bool has_text = false;
    for (size_t row = names_.header_rows; row < block_.rows.size(); ++row) {
      const absl::string_view text = CellAt(block_, row, column);
      const TableLabel label = ParseTableLabel(text);
      if (label.devices != 0 || label.batch != 0 || label.number != 0) {
        return false;
      }
      has_text = has_text || !label.unknown.empty();
    }
    return has_text && names_.columns[column].label.axes[0] == TableAxis::kDevices;
  }

  // Decides which columns name rows: columns of devices or batches, and the first column.
  void FindRowNames() {
    for (size_t column = 1; column < width_; ++column) {
      TableLabel& label = names_.columns[column].label;
      if (label.axes == std::vector<TableAxis>{TableAxis::kBatch, TableAxis::kDevices}) {
        label.axes.pop_back();  // "batch size / GPU"; only the first column can name both axes
        label.batch_kind = "per_device";
      }
      label.names_context = label.names_context || (NamesAxisOnly(label) && NamesModels(column));
      names_.columns[column].names_rows = NamesAxisOnly(label) || label.names_context;
    }
    TableColumn& first = names_.columns[0];
    const bool others = std::any_of(names_.columns.begin(), names_.columns.end(),
                                    [](const TableColumn& column) { return column.names_rows; });
    first.names_rows =
        !(others && first.label.quantity != proto::PUBLISHED_QUANTITY_UNSPECIFIED && first.label.axes.empty());
    if (first.names_rows) {
      names_.corner = first.label;
    }
  }

  void ReadRows() {
    const auto row_columns =
        std::count_if(names_.columns.begin(), names_.columns.end(), [](const TableColumn& c) { return c.names_rows; });
    for (size_t column = 0; column < width_; ++column) {
      if (!names_.columns[column].names_rows) {
        continue;
      }
      absl::string_view text;
      for (size_t i = 0; i < names_.rows.size(); ++i) {
        const absl::string_view own = CellAt(block_, i + names_.header_rows, column);
        text = own.empty() && row_columns > 1 ? text : own;  // a name spans the empty cells below
        AddToLabel(RowLabel(names_.columns[column].label, column, i, text), names_.rows[i]);
      }
    }
  }

  uint32_t NumbersInRow(size_t row) const {
    uint32_t numbers = 0;
    for (size_t column = 0; column < width_; ++column) {
      const absl::StatusOr<TableCell> cell = ParseTableCell(CellAt(block_, row + names_.header_rows, column), comma_);
      numbers += !names_.columns[column].names_rows && cell.ok() && !cell->digits.empty();
    }
    return numbers;
  }

  // Leaves out the rows whose names are not understood, or adds an error for each. A row without numbers may be a
  // heading of the rows below it, and is always an error.
  void LeaveOutRows() {
    const bool others_state = std::any_of(names_.rows.begin(), names_.rows.end(), [](const TableLabel& row) {
      return row.unknown.empty() && (row.number != 0 || row.devices != 0 || row.batch != 0 || !row.context.empty() ||
                                     row.quantity != proto::PUBLISHED_QUANTITY_UNSPECIFIED);
    });
    for (const auto& [row, text] : unknown_) {
      const uint32_t numbers = NumbersInRow(row);
      if (others_state && numbers > 0 && left_out_.Add(text, numbers)) {
        names_.rows[row].is_unused = true;
        continue;
      }
      faults_.Add(Line(row + names_.header_rows),
                  absl::StrCat("expected a name of a row such as '4 GPUs', 'batch 128' or 'epoch time (s)'",
                               kContextRemedy, left_out_.Suggestion(text)),
                  text);
    }
  }

  // Reads the name that `text`, a cell of a column named `header`, gives row `row`.
  TableLabel RowLabel(const TableLabel& header, size_t column, size_t row, absl::string_view text) {
    if (header.names_context) {
      TableLabel label;
      label.context = text.empty() ? "" : ContextOfCell(CellAt(block_, 0, column), text);
      return label;
    }
    TableLabel label = ParseTableLabel(text);
    if (!label.unknown.empty()) {
      unknown_.emplace(row, std::string(text));
    }
    if (column > 0 && label.number != 0) {
      AssignNumber(header.axes[0], label);
    }
    if (header.axes.size() == 1 && !header.batch_kind.empty() && label.batch_kind.empty()) {
      label.batch_kind = header.batch_kind;
    }
    return label;
  }

  int Line(size_t row) const { return block_.rows[row].line; }

  const TableBlock& block_;
  const CommaMeaning comma_;
  const StatedAxes& stated_;
  LeftOutNames& left_out_;
  TableFaults& faults_;
  std::map<size_t, std::string> unknown_;  // rows below the names whose name is not understood, each with that name
  size_t width_ = 0;
  TableNames names_;
};

}  // namespace

absl::string_view CellAt(const TableBlock& block, size_t row, size_t column) {
  const std::vector<std::string>& cells = block.rows[row].cells;
  return column < cells.size() ? absl::StripAsciiWhitespace(cells[column]) : absl::string_view();
}

uint32_t NumbersInColumn(const TableBlock& block, CommaMeaning comma, size_t header_rows, size_t column) {
  uint32_t numbers = 0;
  for (size_t row = header_rows; row < block.rows.size(); ++row) {
    const absl::StatusOr<TableCell> cell = ParseTableCell(CellAt(block, row, column), comma);
    numbers += cell.ok() && !cell->digits.empty();
  }
  return numbers;
}

TableNames ReadTableNames(const TableBlock& block, CommaMeaning comma, const StatedAxes& stated, LeftOutNames& left_out,
                          TableFaults& faults) {
  return NameReader(block, comma, stated, left_out, faults).Read();
}

}  // namespace lockstep
