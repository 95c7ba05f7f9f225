#include "lib/page/latex_table.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/page/latex_text.h"
#include "lib/page/render.h"

namespace lockstep {
namespace {

// Widths in characters of \footnotesize. A line of 17 cm holds 115 characters of average width.
constexpr double kLine = 115;
constexpr double kColumnGap = 2;
constexpr double kNarrowest = 18;     // minimum width of a wrapped column
constexpr size_t kHeadingWidth = 13;  // headings are wrapped at spaces
constexpr double kLinesOfAPart = 42;

constexpr char kFit[] =
    "\\providecommand{\\lockstepfit}{% no broader than the line, no higher than the page\n"
    "  \\ifdim\\wd0>\\linewidth\\setbox0\\hbox{\\resizebox{\\linewidth}{!}{\\copy0}}\\fi\n"
    "  "
    "\\ifdim\\dimexpr\\ht0+\\dp0\\relax>0.7\\textheight\\setbox0\\hbox{\\resizebox*{!}{0.7\\textheight}{\\copy0}}\\fi\n"
    "  \\leavevmode\\box0}\n";

std::string WithoutNumber(const std::string& caption) {
  const size_t colon = caption.find(": ");
  return NumberInCaption(caption) == 0 ? caption : caption.substr(colon + 2);
}

std::string Superscript(absl::string_view text) { return absl::StrCat("\\textsuperscript{", text, "}"); }

// Splits a word into pieces that fit above a column. Most words are one piece.
std::vector<absl::string_view> Pieces(absl::string_view word) {
  std::vector<absl::string_view> pieces;
  while (LatexWidth(word) > 2 * kHeadingWidth) {
    pieces.push_back(LatexPrefix(word, kHeadingWidth));
    word.remove_prefix(pieces.back().size());
  }
  pieces.push_back(word);
  return pieces;
}

// Breaks a heading into lines, with as many words on a line as fit.
std::vector<std::string> HeadingLines(const std::string& heading) {
  std::vector<std::string> lines;
  for (const absl::string_view word : absl::StrSplit(heading, ' ')) {
    for (const absl::string_view piece : Pieces(word)) {
      if (!lines.empty() && LatexWidth(lines.back()) + LatexWidth(piece) < kHeadingWidth) {
        absl::StrAppend(&lines.back(), " ", piece);
      } else {
        lines.emplace_back(piece);
      }
    }
  }
  return lines;
}

class TableWriter {
 public:
  TableWriter(const proto::Table& table, const std::string& name) : table_(table), name_(name), footnotes_(table) {
    for (int i = 0; i < table.column_size(); ++i) {
      mark_.push_back(ColumnMark(table, i));
      width_.push_back(NaturalWidth(i));
    }
    Wrap();
  }

  std::string Text() const {
    std::string out = absl::StrCat("% ", LatexName(table_.caption().substr(0, 60)),
                                   "\n% To \\input: needs \\usepackage{array,booktabs,graphicx} and, for all "
                                   "characters, \\usepackage[T1]{fontenc}.\n",
                                   kFit);
    if (!table_.absent_reason().empty()) {
      absl::StrAppend(&out, "\\par\\medskip\\noindent\\textbf{", EscapeLatex(WithoutNumber(table_.caption())),
                      "}\\label{tab:", name_, "} Blank: ", EscapeLatex(table_.absent_reason()), ".\\par\n");
      return out;
    }
    int part = 0;
    for (int row = 0; row == 0 || row < table_.row_size(); ++part) {
      const int end = EndOfPart(row);
      AppendPart(part, row, end, out);
      row = std::max(end, row + 1);
    }
    AppendNotes(out);
    return out;
  }

 private:
  // Returns the width without wrapping, in characters.
  double NaturalWidth(int column) const {
    double width = 0;
    for (const std::string& line : HeadingLines(table_.column(column))) {
      width = std::max(width, static_cast<double>(LatexWidth(line)) + 1);
    }
    for (const proto::Row& row : table_.row()) {
      width = std::max(width, static_cast<double>(LatexWidth(row.cell(column).text())));
    }
    return width;
  }

  // Distributes the width that the other columns leave among the columns of words, in proportion to the square root of
  // their natural width.
  void Wrap() {
    wrapped_.assign(width_.size(), false);
    double left = kLine - kColumnGap * static_cast<double>(width_.size()), wanted = 0, roots = 0;
    for (size_t i = 0; i < width_.size(); ++i) {
      const bool words = width_[i] > kNarrowest && !IsNumeric(table_, static_cast<int>(i));
      wrapped_[i] = words;
      (words ? wanted : left) += words ? width_[i] : -width_[i];
      roots += words ? std::sqrt(width_[i]) : 0;
    }
    const bool all_fit = wanted <= left;
    for (size_t i = 0; i < width_.size(); ++i) {
      wrapped_[i] = wrapped_[i] && !all_fit;
      if (wrapped_[i]) {
        width_[i] = std::min(width_[i], std::max(kNarrowest, left * std::sqrt(width_[i]) / roots));
      }
    }
  }

  double LinesOf(const proto::Row& row) const {
    double lines = 1;
    for (int i = 0; i < row.cell_size(); ++i) {
      lines = std::max(lines, std::ceil(static_cast<double>(LatexWidth(row.cell(i).text())) /
                                        std::max(1.0, width_[static_cast<size_t>(i)])));
    }
    return lines;
  }

  int EndOfPart(int row) const {
    double lines = 0;
    while (row < table_.row_size() && (lines += LinesOf(table_.row(row))) <= kLinesOfAPart) {
      ++row;
    }
    return row;
  }

  void AppendPart(int part, int begin, int end, std::string& out) const {
    out +=
        "\\par\\medskip\\noindent\\begin{minipage}{\\linewidth}\n\\makeatletter\\def\\@captype{table}\\makeatother\n"
        "\\centering\\emergencystretch\\linewidth\n";
    if (part == 0) {
      absl::StrAppend(&out, "\\caption{", EscapeLatex(WithoutNumber(table_.caption())), "}\n\\label{tab:", name_,
                      "}\n");
    } else {
      absl::StrAppend(&out, "Table~\\ref{tab:", name_, "}, continued\\par\n");
    }
    absl::StrAppend(&out, "\\smallskip\\footnotesize\\setlength{\\tabcolsep}{4pt}\n\\setbox0\\hbox{\\begin{tabular}{",
                    ColumnKinds(), "}\n\\toprule\n");
    AppendHead(out);
    out += "\\midrule\n";
    for (int i = begin; i < std::max(end, std::min(begin + 1, table_.row_size())); ++i) {
      AppendRow(table_.row(i), out);
    }
    out += "\\bottomrule\n\\end{tabular}}%\n\\lockstepfit\n\\end{minipage}\\par\n";
  }

  std::string ColumnKinds() const {
    std::string kinds;
    for (size_t i = 0; i < width_.size(); ++i) {
      absl::StrAppend(
          &kinds, wrapped_[i] ? absl::StrFormat(">{\\raggedright\\arraybackslash}p{%.3f\\linewidth}", width_[i] / kLine)
                  : IsNumeric(table_, static_cast<int>(i)) ? "r"
                                                           : "l");
    }
    return kinds;
  }

  void AppendHead(std::string& out) const {
    AppendGroups(out);
    for (int i = 0; i < table_.column_size(); ++i) {
      const ProvenanceMark* const mark = mark_[static_cast<size_t>(i)];
      absl::StrAppend(&out, i > 0 ? " & " : "", HeadingText(i, mark == nullptr ? "" : Superscript(mark->letter)));
    }
    out += " \\\\\n";
  }

  // Returns the heading with its line breaks; without line breaks if the column wraps its text itself.
  std::string HeadingText(int column, const std::string& mark) const {
    if (wrapped_[static_cast<size_t>(column)]) {
      return absl::StrCat("{}", EscapeLatex(table_.column(column)), mark);
    }
    const std::string lines =
        absl::StrJoin(HeadingLines(table_.column(column)), "\\\\",
                      [](std::string* out, const std::string& line) { absl::StrAppend(out, EscapeLatex(line)); });
    return absl::StrCat("\\begin{tabular}[b]{@{}", IsNumeric(table_, column) ? "r" : "l", "@{}}", lines, mark,
                        "\\end{tabular}");
  }

  // Appends the group titles above their columns, each with a rule below it.
  void AppendGroups(std::string& out) const {
    std::string titles, rules;
    int column = 0;
    for (const proto::ColumnGroup& group : table_.column_group()) {
      const int columns = static_cast<int>(group.columns());
      if (columns == 0) {
        continue;
      }
      absl::StrAppend(&titles, column > 0 ? " & " : "", "\\multicolumn{", columns, "}{c}{", EscapeLatex(group.title()),
                      "}");
      if (!group.title().empty()) {
        absl::StrAppend(&rules, "\\cmidrule(lr){", column + 1, "-", column + columns, "}");
      }
      column += columns;
    }
    absl::StrAppend(&out, titles, titles.empty() ? "" : " \\\\\n", rules, rules.empty() ? "" : "\n");
  }

  void AppendRow(const proto::Row& row, std::string& out) const {
    for (int i = 0; i < row.cell_size(); ++i) {
      absl::StrAppend(&out, i > 0 ? " & " : "", CellText(row.cell(i), i));
    }
    out += " \\\\\n";
  }

  std::string CellText(const proto::Cell& cell, int column) const {
    const int number = footnotes_.NumberOf(cell);
    const std::string note = number == 0 ? "" : absl::StrCat(number);
    if (!cell.absent_reason().empty()) {
      return absl::StrCat("\\textendash{}", note.empty() ? "" : Superscript(note));
    }
    const ProvenanceMark* const mark = MarkOf(cell.provenance());
    const bool shown = mark != nullptr && mark_[static_cast<size_t>(column)] == nullptr;
    const std::string above = absl::StrCat(shown ? mark->letter : "", shown && number > 0 ? "{,}" : "", note);
    return absl::StrCat("{}", EscapeLatex(cell.text()), above.empty() ? "" : Superscript(above));
  }

  void AppendNotes(std::string& out) const {
    if (footnotes_.texts().empty() && table_.note().empty()) {
      return;
    }
    out += "{\\footnotesize\\raggedright\\emergencystretch\\linewidth\n";
    for (size_t i = 0; i < footnotes_.texts().size(); ++i) {
      absl::StrAppend(&out, "\\noindent ", Superscript(absl::StrCat(i + 1)), "~", EscapeLatex(footnotes_.texts()[i]),
                      "\\par\n");
    }
    for (const std::string& note : table_.note()) {
      absl::StrAppend(&out, "\\noindent ", EscapeLatex(note), "\\par\n");
    }
    out += "}\n";
  }

  const proto::Table& table_;
  const std::string name_;
  const Footnotes footnotes_;
  std::vector<const ProvenanceMark*> mark_;
  std::vector<double> width_;
  std::vector<bool> wrapped_;
};

}  // namespace

int NumberInCaption(const std::string& caption) {
  constexpr absl::string_view kWord = "Table ";
  const size_t colon = caption.find(": ");
  int number = 0;
  return absl::StartsWith(caption, kWord) && colon != std::string::npos &&
                 absl::SimpleAtoi(absl::string_view(caption).substr(kWord.size(), colon - kWord.size()), &number) &&
                 number > 0 && number < 1000
             ? number
             : 0;
}

std::string LatexTable(const proto::Table& table, const std::string& name) {
  return TableWriter(table, LatexName(name)).Text();
}

}  // namespace lockstep
