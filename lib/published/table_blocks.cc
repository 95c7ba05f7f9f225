#include "lib/published/table_blocks.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "lib/published/csv.h"
#include "lib/published/document_key.h"
#include "lib/published/label_words.h"
#include "lib/published/table_label.h"
#include "lib/published/table_markup.h"

namespace lockstep {
namespace {

constexpr size_t kMaxTitleBytes = 300, kMaxLatexRowBytes = 65536;

enum class TableForm { kCsv, kMarkdown, kLatex };

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

bool IsEmpty(absl::string_view cell) { return absl::StripAsciiWhitespace(cell).empty(); }

// Calls `use` with each line, without its end, and its number.
template <typename Use>
void ForEachLine(absl::string_view text, const Use& use) {
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    use(absl::StripSuffix(text.substr(0, end), "\r"), number);
    text.remove_prefix(end == absl::string_view::npos ? text.size() : end + 1);
  }
}

TableForm FormOf(absl::string_view text) {
  bool is_latex = false, is_markdown = false;
  ForEachLine(text, [&](absl::string_view line, int) {
    const bool is_row = !IsRemarkLine(line);
    is_latex = is_latex || (is_row && IsLatexRow(line));
    is_markdown = is_markdown || (is_row && absl::StartsWith(absl::StripLeadingAsciiWhitespace(line), "|")) ||
                  (IsMarkdownRow(line) && MarkdownCells(line).empty());
  });
  return is_latex ? TableForm::kLatex : is_markdown ? TableForm::kMarkdown : TableForm::kCsv;
}

// Returns the separator of most lines. A comma next to another separator is a decimal comma.
char SeparatorOfText(absl::string_view text) {
  size_t commas = 0, semicolons = 0, tabs = 0;
  ForEachLine(text, [&](absl::string_view line, int) {
    if (IsRemarkLine(line)) {
      return;
    }
    const bool has_tab = absl::StrContains(line, "\t"), has_semicolon = absl::StrContains(line, ";");
    tabs += has_tab ? 1 : 0;
    semicolons += !has_tab && has_semicolon ? 1 : 0;
    commas += !has_tab && !has_semicolon && absl::StrContains(line, ",") ? 1 : 0;
  });
  if (tabs >= std::max<size_t>(1, std::max(semicolons, commas))) {
    return '\t';
  }
  return semicolons >= std::max<size_t>(1, commas) ? ';' : ',';
}

// Returns true if `sign` must be the decimal sign, because it stands in front of other than three digits or after a
// single 0.
bool ShowsDecimal(absl::string_view cell, char sign) {
  const size_t at = cell.rfind(sign);
  if (at == absl::string_view::npos || at == 0 || !IsDigit(cell[at - 1])) {
    return false;
  }
  const absl::string_view rest = cell.substr(at + 1);
  const size_t digits = std::find_if_not(rest.begin(), rest.end(), IsDigit) - rest.begin();
  return digits > 0 && (digits != 3 || (cell[at - 1] == '0' && at == 1));
}

bool IsKnownKey(const std::string& key) {
  return std::find(std::begin(kTableKeys), std::end(kTableKeys), key) != std::end(kTableKeys) ||
         !DocumentKeyMeantBy(key).empty();
}

// Returns the remark; without a key if it has none that is known. A single word before = is a key, known or not.
TableRemark RemarkOf(absl::string_view text, int number) {
  constexpr size_t kMaxKeyBytes = 60;
  TableRemark remark = {number, "", ""};
  const size_t at = text.find_first_of(":=");
  if (at == absl::string_view::npos || at > kMaxKeyBytes) {
    return remark;
  }
  const absl::string_view printed = absl::StripAsciiWhitespace(text.substr(0, at));
  const std::string words = absl::AsciiStrToLower(absl::StrReplaceAll(printed, {{"_", " "}, {"-", " "}}));
  std::string key = absl::StrReplaceAll(words, {{" ", "_"}});
  if (const TableAxis axis = AxisMeantBy(words); axis != TableAxis::kNone) {
    key = axis == TableAxis::kBatch ? "batch" : "devices";
  } else if (key == "units") {
    key = "unit";
  }
  if (IsKnownKey(key) || (text[at] == '=' && !printed.empty() && !absl::StrContains(printed, " "))) {
    remark.key = std::move(key);
    remark.value = std::string(absl::StripAsciiWhitespace(text.substr(at + 1)));
  }
  return remark;
}

// Collects remarks, titles and rows.
class BlockReader {
 public:
  BlockReader(TableForm form, char separator, TableFaults& faults)
      : form_(form), separator_(separator), faults_(faults) {}

  void Read(absl::string_view line, int number) {
    if (form_ == TableForm::kLatex) {
      ReadLatex(line, number);
    } else if (absl::StripAsciiWhitespace(line).empty()) {
      EndTable();
      is_after_gap_ = true;
    } else if (IsRemarkLine(line)) {
      ReadRemark(RemarkText(line), number);
    } else if (form_ == TableForm::kMarkdown) {
      IsMarkdownRow(line) ? AddRow(MarkdownCells(line), number) : AddTitle(line);
    } else {
      ReadCsv(line, number);
    }
  }

  std::vector<TableBlock> Finish(int number) {
    TakeLatexRow(number);
    EndTable();
    if (!block_.remarks.empty()) {
      blocks_.push_back(std::move(block_));
    }
    return std::move(blocks_);
  }

 private:
  void ReadRemark(const std::string& text, int number) {
    if (absl::StrContains(text, ":") || absl::StrContains(text, "=")) {
      ++remarks_;
    }
    if (remarks_ > kMaxTableRemarks) {
      faults_.Add(number, absl::StrCat("expected at most ", kMaxTableRemarks, " remarks with : or ="));
      return;
    }
    TableRemark remark = RemarkOf(text, number);
    if (text.empty() || !remark.key.empty() || form_ == TableForm::kMarkdown) {
      EndTable();
      is_after_gap_ = true;
    }
    if (remark.key.empty()) {
      if (form_ == TableForm::kMarkdown) {  // a heading
        AddTitle(absl::string_view(text).substr(std::min(text.find_first_not_of("# "), text.size())));
      }
    } else {
      block_.remarks.push_back(std::move(remark));
    }
  }

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
    if (is_single && (block_.rows.empty() || !NamesRow(cells[0]))) {
      EndTable();
      AddTitle(cells[0]);
    } else {
      AddRow(std::move(cells), number);
    }
  }

  // Returns true for the first cell of a row without numbers: "2048", "batch 2048".
  static bool NamesRow(absl::string_view cell) {
    const TableLabel label = ParseTableLabel(cell);
    return label.number != 0 || label.devices != 0 || label.batch != 0;
  }

  void ReadLatex(absl::string_view line, int number) {
    const absl::string_view stripped = absl::StripAsciiWhitespace(line);
    if (stripped.empty()) {
      if (!is_in_tabular_) {
        TakeLatexRow(number);
        EndTable();
      }
      is_after_gap_ = true;
      return;
    }
    if (stripped[0] == '#' || stripped[0] == '%') {
      ReadLatexRemark(stripped, number);
      return;
    }
    is_in_tabular_ = is_in_tabular_ || absl::StrContains(stripped, "\\begin{tabu") ||
                     absl::StrContains(stripped, "\\begin{longtable");
    if (absl::StrContains(stripped, "\\begin{table")) {
      block_.title.clear();
    }
    absl::string_view rest = WithoutLatexComment(stripped);
    for (size_t end = rest.find("\\\\"); end != absl::string_view::npos; end = rest.find("\\\\")) {
      absl::StrAppend(&latex_row_, " ", rest.substr(0, end));
      rest.remove_prefix(end + 2);
      if (absl::StartsWith(rest, "[")) {  // space after the row
        rest.remove_prefix(std::min(rest.find(']'), rest.size() - 1) + 1);
      }
      TakeLatexRow(number);
    }
    if (absl::StrContains(rest, "&") || !latex_row_.empty() || is_in_tabular_) {
      if (latex_row_.size() + rest.size() <= kMaxLatexRowBytes) {
        absl::StrAppend(&latex_row_, " ", rest);
      } else {
        faults_.Add(number, absl::StrCat("expected rows of at most ", kMaxLatexRowBytes, " bytes"));
      }
    } else {
      AddTitle(LatexText(rest));
    }
    if (absl::StrContains(rest, "\\end{")) {
      TakeLatexRow(number);
      EndTable();
      is_in_tabular_ = false;
      block_.title.clear();  // a caption below its table
    }
  }

  // Reads "# key: value" or "% key: value". A LaTeX comment without a known key, such as a row that is left out, is
  // ignored.
  void ReadLatexRemark(absl::string_view line, int number) {
    const std::string text(absl::StripLeadingAsciiWhitespace(line.substr(1)));
    if (line[0] == '#' || (!is_in_tabular_ && IsKnownKey(RemarkOf(text, number).key))) {
      ReadRemark(text, number);
    }
  }

  void TakeLatexRow(int number) {
    const std::string row = std::exchange(latex_row_, "");
    if (absl::StrContains(row, "&")) {
      AddRow(LatexCells(row), number);
    }
  }

  void AddTitle(absl::string_view text) {
    text = absl::StripAsciiWhitespace(text);
    if (text.empty()) {
      return;
    }
    if (form_ != TableForm::kLatex) {
      EndTable();
    }
    if (std::exchange(is_after_gap_, false)) {
      block_.title.clear();
    }
    if (block_.title.size() + text.size() < kMaxTitleBytes) {
      absl::StrAppend(&block_.title, block_.title.empty() ? "" : " ", text);
    }
  }

  void AddRow(std::vector<std::string> cells, int number) {
    while (!cells.empty() && IsEmpty(cells.back())) {
      cells.pop_back();
    }
    cells_ += cells.size();
    if (cells.size() > kMaxCsvFields || cells_ > kMaxTableCells) {
      faults_.Add(number, absl::StrCat("expected at most ", kMaxCsvFields, " cells in a row, and ", kMaxTableCells,
                                       " in a file"));
    } else if (!cells.empty()) {
      block_.rows.push_back({number, std::move(cells)});
    }
  }

  void EndTable() {
    if (!block_.rows.empty()) {
      blocks_.push_back(std::exchange(block_, {}));
    }
  }

  const TableForm form_;
  const char separator_;
  TableFaults& faults_;
  std::vector<TableBlock> blocks_;
  TableBlock block_;
  std::string latex_row_;       // row whose \\ has not come yet
  bool is_in_tabular_ = false;  // true between \begin{tabular} and the next \end
  bool is_after_gap_ = false;   // true if the next title replaces the last one
  size_t cells_ = 0, remarks_ = 0;
};

}  // namespace

TableBlocks ReadTableBlocks(absl::string_view text, TableFaults& faults) {
  const TableForm form = FormOf(text);
  const char separator = form == TableForm::kCsv ? SeparatorOfText(text) : ',';
  BlockReader reader(form, separator, faults);
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
  bool has_comma = false, has_point = false;
  for (const TableBlock& block : read.blocks) {
    for (const TableRow& row : block.rows) {
      for (const std::string& cell : row.cells) {
        has_comma = has_comma || ShowsDecimal(cell, ',');
        has_point = has_point || ShowsDecimal(cell, '.');
      }
    }
  }
  read.comma = has_point && !has_comma ? CommaMeaning::kThousands : CommaMeaning::kDecimal;
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
