#include "lib/page/latex_hand_in.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "lib/base/utf8.h"
#include "lib/page/latex_table.h"
#include "lib/page/latex_text.h"

namespace lockstep {
namespace {

// A4 with margins of 2 cm holds about 60 lines of 115 characters. Twelve answers of 600 bytes are a page and a half,
// three tables of 14 rows a page, four plots half a page, and twelve commands half a page at most.
constexpr size_t kAnswerBytes = 600;
constexpr int kTableRows = 14;
constexpr int kCommands = 12;
constexpr size_t kCommandBytes = 300;
constexpr size_t kPlots = 4;
constexpr int kTables = 3;

// Returns the lines of `text` as one. A line without an end of its own ends with a semicolon.
std::string OneLine(absl::string_view text) {
  std::string line;
  for (const absl::string_view part : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const bool ended = line.empty() || line.back() == '.' || line.back() == ':';
    absl::StrAppend(&line, line.empty() ? "" : ended ? " " : "; ", part);
  }
  return line;
}

// Returns `text` on one line, cut after the last sentence that ends within `bytes`, or within its first sentence.
std::string Shortened(const std::string& text, size_t bytes) {
  const std::string line = OneLine(text);
  const absl::string_view start = FirstBytes(line, bytes);
  if (start.size() == line.size()) {
    return line;
  }
  const size_t sentence = start.rfind(". ");
  return sentence == absl::string_view::npos ? absl::StrCat(start, "...") : std::string(start.substr(0, sentence + 1));
}

bool IsAnswer(const proto::Section& section, const proto::Claim& claim) {
  return section.role() != proto::CARD && !claim.question().empty();
}

std::string Answers(const std::vector<proto::Section>& sections) {
  std::string text;
  std::vector<std::string> unanswered;
  for (const proto::Section& section : sections) {
    for (const proto::Claim& claim : section.claim()) {
      if (IsAnswer(section, claim) && claim.text().empty()) {
        unanswered.push_back(claim.question());
      } else if (IsAnswer(section, claim)) {
        absl::StrAppend(&text, "\\par\\textbf{", EscapeLatex(claim.question()), ". ", EscapeLatex(claim.asked()), "} ",
                        EscapeLatex(Shortened(claim.text(), kAnswerBytes)), "\\par\n");
      }
    }
  }
  if (!unanswered.empty()) {
    absl::StrAppend(&text, "\\par Not answered: ", EscapeLatex(absl::StrJoin(unanswered, ", ")), ".\\par\n");
  }
  return text;
}

// Returns the first table of this number, or null.
const proto::Table* TableOfNumber(const std::vector<proto::Section>& sections, int number) {
  for (const proto::Section& section : sections) {
    for (const proto::Table& table : section.table()) {
      if (NumberInCaption(table.caption()) == number) {
        return &table;
      }
    }
  }
  return nullptr;
}

proto::Table Cut(proto::Table table) {
  table.clear_note();
  for (proto::Row& row : *table.mutable_row()) {
    for (proto::Cell& cell : *row.mutable_cell()) {
      cell.clear_note();
    }
  }
  if (const int more = table.row_size() - kTableRows; more > 0) {
    table.mutable_row()->DeleteSubrange(kTableRows, more);
    table.add_note(absl::StrCat(more, " more rows are in the full report."));
  }
  return table;
}

std::string Tables(const std::vector<proto::Section>& sections) {
  std::string text;
  for (int number = 1; number <= kTables; ++number) {
    if (const proto::Table* table = TableOfNumber(sections, number)) {
      absl::StrAppend(&text, "\\setcounter{table}{", number - 1, "}\n",
                      LatexTable(Cut(*table), absl::StrCat("table-", number)));
    }
  }
  if (!text.empty()) {
    absl::StrAppend(&text, "\\par{\\footnotesize ",
                    absl::StrJoin(ProvenanceMarks(), ", ",
                                  [](std::string* out, const ProvenanceMark& mark) {
                                    absl::StrAppend(out, "\\textsuperscript{", mark.letter, "}~", mark.name);
                                  }),
                    ".\\par}\n");
  }
  return text;
}

std::string Plots(const std::vector<proto::Section>& sections, const DrawnPlots& drawn) {
  std::string text;
  bool right = false;
  for (const proto::Plot* plot : HandInPlots(sections)) {
    absl::StrAppend(&text, right ? "\\hfill\n" : "\\par\\medskip\\noindent\n", LatexPlot(*plot, drawn, 0.49));
    right = !right;
  }
  return text.empty() ? "" : absl::StrCat(text, "\\par\n");
}

// Returns the column of this name, or -1.
int ColumnNamed(const proto::Table& table, const char* name) {
  const auto found = std::find(table.column().begin(), table.column().end(), name);
  return found == table.column().end() ? -1 : static_cast<int>(found - table.column().begin());
}

// Returns the commands of every table that has a column of them, each once.
std::vector<std::string> CommandsOf(const std::vector<proto::Section>& sections) {
  std::vector<std::string> commands;
  for (const proto::Section& section : sections) {
    for (const proto::Table& table : section.table()) {
      const int column = ColumnNamed(table, "command");
      for (const proto::Row& row : table.row()) {
        const std::string& command = column < 0 ? "" : row.cell(column).text();
        if (!command.empty() && std::find(commands.begin(), commands.end(), command) == commands.end()) {
          commands.push_back(command);
        }
      }
    }
  }
  return commands;
}

std::string Commands(const std::vector<proto::Section>& sections) {
  const std::vector<std::string> commands = CommandsOf(sections);
  std::string text = commands.empty() ? "" : "\\section{Commands}\n{\\footnotesize\\ttfamily\\raggedright\n";
  for (size_t i = 0; i < std::min<size_t>(commands.size(), kCommands); ++i) {
    absl::StrAppend(&text, "\\par ", EscapeLatex(Shortened(commands[i], kCommandBytes)), "\\par\n");
  }
  absl::StrAppend(&text, commands.empty() ? "" : "}\n");
  if (commands.size() > kCommands) {
    absl::StrAppend(&text, "\\par ", commands.size() - kCommands, " more commands are in the full report.\\par\n");
  }
  return text;
}

}  // namespace

std::vector<const proto::Plot*> HandInPlots(const std::vector<proto::Section>& sections) {
  std::vector<const proto::Plot*> chosen;
  for (const char* wanted : {"speedup", "epoch_time", "split", "large_batch", ""}) {
    for (const proto::Section& section : sections) {
      for (const proto::Plot& plot : section.plot()) {
        const bool fits = *wanted == '\0' ? plot.group().empty() : plot.id() == wanted;
        if (fits && chosen.size() < kPlots && std::find(chosen.begin(), chosen.end(), &plot) == chosen.end()) {
          chosen.push_back(&plot);
        }
      }
    }
  }
  return chosen;
}

std::string RenderLatexHandIn(const LatexHead& head, const std::vector<proto::Section>& sections,
                              const DrawnPlots& plots) {
  return absl::StrCat(LatexBegin(head), "\\section{Answers}\n", Answers(sections), "\\section{Results}\n",
                      Tables(sections), Plots(sections, plots), Commands(sections), "\\end{document}\n");
}

}  // namespace lockstep
