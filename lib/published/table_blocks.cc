#include "lib/published/table_blocks.h"

#include <algorithm>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "lib/published/block_builder.h"
#include "lib/published/csv.h"
#include "lib/published/document_key.h"
#include "lib/published/latex_lines.h"
#include "lib/published/table_form.h"
#include "lib/published/table_label.h"
#include "lib/published/table_markup.h"

namespace lockstep {
namespace {

bool IsEmpty(absl::string_view cell) { return absl::StripAsciiWhitespace(cell).empty(); }

// Reads the lines of a text in one form.
class LineReader {
 public:
  LineReader(TableForm form, char separator, TableFaults& faults)
      : form_(form), separator_(separator), faults_(faults), builder_(form, faults), latex_(builder_, faults) {}

  void Read(absl::string_view line, int number) {
    if (form_ == TableForm::kLatex) {
      latex_.Read(line, number);
    } else if (IsEmpty(line)) {
      builder_.EndTable();
      builder_.EndTitle();
    } else if (IsRemarkLine(line)) {
      builder_.AddRemark(RemarkText(line), number);
    } else if (form_ == TableForm::kMarkdown) {
      IsMarkdownRow(line) ? builder_.AddRow(MarkdownCells(line), number) : builder_.AddTitle(line);
    } else {
      ReadCsv(line, number);
    }
  }

  std::vector<TableBlock> Finish(int number) {
    latex_.Finish(number);
    return builder_.Finish();
  }

 private:
  void ReadCsv(absl::string_view line, int number) {
    absl::StatusOr<std::vector<CsvRow>> rows = ParseCsv(line, number, separator_);
    if (!rows.ok()) {
      const absl::string_view message = rows.status().message();
      faults_.Add(number,
                  message.substr(std::min(message.find(' ') + 1, message.size())));  // the message without its line
      return;
    }
    if (rows->empty()) {
      return;
    }
    std::vector<std::string> cells = std::move(rows->front().fields);
    const bool is_single = std::all_of(cells.begin() + 1, cells.end(), IsEmpty);
    if (is_single && (!builder_.HasRows() || !NamesRow(cells[0]))) {
      builder_.EndTable();
      builder_.AddTitle(cells[0]);
    } else {
      builder_.AddRow(std::move(cells), number);
    }
  }

  // Returns true for the first cell of a row without numbers: "2048", "batch 2048".
  static bool NamesRow(absl::string_view cell) {
    const TableLabel label = ParseTableLabel(cell);
    return label.number != 0 || label.devices != 0 || label.batch != 0;
  }

  const TableForm form_;
  const char separator_;
  TableFaults& faults_;
  BlockBuilder builder_;
  LatexLines latex_;
};

// Returns the meaning of a comma in cells that another sign separates.
CommaMeaning CommaBetween(const std::vector<TableBlock>& blocks) {
  bool has_comma = false, has_point = false;
  for (const TableBlock& block : blocks) {
    for (const TableRow& row : block.rows) {
      for (const std::string& cell : row.cells) {
        has_comma = has_comma || ShowsDecimal(cell, ',');
        has_point = has_point || ShowsDecimal(cell, '.');
      }
    }
  }
  return has_point && !has_comma ? CommaMeaning::kThousands : CommaMeaning::kDecimal;
}

}  // namespace

TableBlocks ReadTableBlocks(absl::string_view text, TableFaults& faults) {
  const TableForm form = FormOf(text);
  const char separator = form == TableForm::kCsv ? SeparatorOfText(text) : ',';
  LineReader reader(form, separator, faults);
  int lines = 0;
  ForEachLine(text, [&](absl::string_view line, int number) {
    reader.Read(line, number);
    lines = number;
  });
  TableBlocks read;
  read.blocks = reader.Finish(lines);
  if (separator == ',') {
    return read;
  }
  read.comma = CommaBetween(read.blocks);
  return read;
}

bool HasWideTable(const TableBlocks& blocks) {
  for (const TableBlock& block : blocks.blocks) {
    if (std::any_of(block.remarks.begin(), block.remarks.end(), [](const TableRemark& remark) {
          return remark.key == "quantity" || remark.key == "unit" || remark.key == "table";
        })) {
      return true;
    }
    for (size_t row = 1; row < block.rows.size(); ++row) {
      const std::vector<std::string>& cells = block.rows[row].cells;
      for (size_t column = 1; column < cells.size(); ++column) {
        const auto cell = ParseTableCell(cells[column], blocks.comma);
        if (cell.ok() && !cell->digits.empty()) {
          return true;
        }
      }
    }
  }
  return false;
}

}  // namespace lockstep
