#include "lib/page/latex_hand_in.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "lib/page/hand_in_runs.h"
#include "lib/page/hand_in_text.h"
#include "lib/page/latex_table.h"
#include "lib/page/latex_text.h"

namespace lockstep {
namespace {

// A4 with margins of 2 cm holds about 60 lines of 105 characters. Twelve answers of 520 bytes are a page and a quarter,
// three tables of 12 rows two thirds of a page, four plots half a page, twelve commands half a page at most, five
// limits and eight runs three quarters of a page at most.
constexpr size_t kAnswerBytes = 520;
constexpr int kLimits = 5;
constexpr size_t kLimitBytes = 240;
constexpr size_t kParagraphBytes = 300;
constexpr int kTableRows = 12;
constexpr size_t kCommands = 12;
constexpr size_t kCommandBytes = 300;
constexpr size_t kPlots = 4;
constexpr int kTables = 3;
constexpr int kTableOfRuns = kTables + 1;  // number of the table, so that it is not taken for one of the lab's tables

bool IsAnswer(const proto::Section& section, const proto::Claim& claim) {
  return section.role() != proto::CARD && !claim.question().empty();
}

bool Holds(const std::vector<std::string>& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

void AddOnce(const std::string& text, std::vector<std::string>& texts) {
  if (!Holds(texts, text)) {
    texts.push_back(text);
  }
}

// Returns the summary of the report, or null.
const proto::Summary* SummaryOf(const std::vector<proto::Section>& sections) {
  for (const proto::Section& section : sections) {
    if (section.has_summary()) {
      return &section.summary();
    }
  }
  return nullptr;
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

// Writes the parts of the document, and collects their texts for the table of runs.
class HandInWriter {
 public:
  HandInWriter(const std::vector<proto::Section>& sections, const DrawnPlots& drawn)
      : sections_(sections), drawn_(drawn), summary_(SummaryOf(sections)) {}

  std::string Document(const LatexHead& head) {
    const std::string answers = Answers(), limits = Limits(), paragraphs = Paragraphs(), tables = Tables();
    const std::string plots = Plots(), runs = Runs();  // the table of runs comes last: it needs all other texts
    return absl::StrCat(LatexBegin(head), "\\section{Answers}\n", answers, limits, "\\section{Results}\n", paragraphs,
                        RunsSentence(runs), tables, runs, plots, Commands(), "\\end{document}\n");
  }

 private:
  // Returns the text for LaTeX, and collects it.
  std::string Shown(absl::string_view text) {
    absl::StrAppend(&shown_, text, "\n");
    return EscapeLatex(text);
  }

  std::string Paragraph(absl::string_view text) { return absl::StrCat("\\par ", Shown(text), "\\par\n"); }

  std::string Answers() {
    std::string text;
    std::vector<std::string> answered;
    for (const proto::Section& section : sections_) {
      for (const proto::Claim& claim : section.claim()) {
        if (!IsAnswer(section, claim) || claim.text().empty()) {
          continue;
        }
        AddOnce(claim.question(), answered);
        NoteTools(claim);
        const std::string answer = ShortenedLine(claim.text(), kAnswerBytes);
        absl::StrAppend(&text, "\\par\\textbf{", EscapeLatex(claim.question()), ". ", EscapeLatex(claim.asked()), "} ",
                        Shown(answer), "\\par\n");
      }
    }
    return absl::StrCat(text, CountOfAnswers(answered));
  }

  // Answers on int8 name networks, but neither the file nor the letter of their run.
  void NoteTools(const proto::Claim& claim) {
    for (const std::string& source : claim.source()) {
      if (absl::StartsWith(source, "quantized.")) {
        tools_.insert("quantize");
      }
    }
  }

  // Returns all questions: those of the summary, which also has the ones that no record is about, then those of claims.
  std::vector<std::string> Questions() const {
    std::vector<std::string> questions;
    for (int i = 0; summary_ != nullptr && i < summary_->chip_size(); ++i) {
      AddOnce(summary_->chip(i).question(), questions);
    }
    for (const proto::Section& section : sections_) {
      for (const proto::Claim& claim : section.claim()) {
        if (IsAnswer(section, claim)) {
          AddOnce(claim.question(), questions);
        }
      }
    }
    return questions;
  }

  // Returns the questions of `answered` that the numbers do not decide.
  std::vector<std::string> Undecided(const std::vector<std::string>& answered) const {
    std::vector<std::string> undecided;
    for (int i = 0; summary_ != nullptr && i < summary_->chip_size(); ++i) {
      const proto::QuestionChip& chip = summary_->chip(i);
      if (chip.state() == proto::PARTLY && Holds(answered, chip.question())) {
        AddOnce(chip.question(), undecided);
      }
    }
    return undecided;
  }

  // Returns sentences on the questions without an answer, and on those that the numbers do not decide.
  std::string CountOfAnswers(const std::vector<std::string>& answered) {
    const std::vector<std::string> questions = Questions(), undecided = Undecided(answered);
    std::vector<std::string> unanswered;
    std::copy_if(questions.begin(), questions.end(), std::back_inserter(unanswered),
                 [&](const std::string& question) { return !Holds(answered, question); });
    if (questions.empty()) {
      return "";
    }
    return Paragraph(absl::StrCat(
        unanswered.empty() ? absl::StrCat("All ", questions.size(), " questions have an answer.")
                           : absl::StrCat("Not answered: ", absl::StrJoin(unanswered, ", "), "."),
        undecided.empty() ? "" : absl::StrCat(" The numbers do not decide ", absl::StrJoin(undecided, ", "), ".")));
  }

  // Returns the worst warnings; a sentence if there are none.
  std::string Limits() {
    if (summary_ == nullptr) {
      return "";
    }
    std::string text = "\\section{Limits}\n";
    for (int i = 0; i < std::min(kLimits, summary_->limit_size()); ++i) {
      absl::StrAppend(&text, Paragraph(ShortenedLine(summary_->limit(i), kLimitBytes)));
    }
    if (const int more = summary_->limit_size() - kLimits; more > 0) {
      absl::StrAppend(
          &text, Paragraph(absl::StrCat(more, more == 1 ? " more kind of warning is" : " more kinds of warnings are",
                                        " in the full report.")));
    }
    return absl::StrCat(text, summary_->limit().empty() ? Paragraph("No warning applies to the numbers.") : "");
  }

  // Returns the paragraphs of the section of Tables 1 to 3: their run, and the reason why tables are missing.
  std::string Paragraphs() {
    std::string text;
    for (const proto::Section& section : sections_) {
      if (section.id() == "tables") {
        letters_.insert(section.run().begin(), section.run().end());
        for (const std::string& paragraph : section.paragraph()) {
          absl::StrAppend(&text, Paragraph(ShortenedLine(paragraph, kParagraphBytes)));
        }
      }
    }
    return text;
  }

  // Collects the texts of a table that may name a run.
  void CollectTexts(const proto::Table& table) {
    letters_.insert(table.run().begin(), table.run().end());
    absl::StrAppend(&shown_, table.caption(), "\n", table.absent_reason(), "\n");
    for (const proto::Row& row : table.row()) {
      for (const proto::Cell& cell : row.cell()) {
        absl::StrAppend(&shown_, cell.absent_reason(), "\n");
      }
    }
  }

  std::string Tables() {
    std::string text;
    for (int number = 1; number <= kTables; ++number) {
      if (const proto::Table* found = TableOfNumber(sections_, number)) {
        const proto::Table table = Cut(*found);
        CollectTexts(table);
        absl::StrAppend(&text, "\\setcounter{table}{", number - 1, "}\n",
                        LatexTable(table, absl::StrCat("table-", number)));
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

  // Collects the texts of a plot that may name a run.
  void CollectTexts(const proto::Plot& plot) {
    letters_.insert(plot.run().begin(), plot.run().end());
    absl::StrAppend(&shown_, plot.title(), "\n", absl::StrJoin(plot.tick(), "\n"), "\n");
    for (const proto::Series& series : plot.series()) {
      absl::StrAppend(&shown_, series.label(), "\n", series.panel(), "\n");
    }
    for (const proto::Mark& mark : plot.mark()) {
      absl::StrAppend(&shown_, mark.label(), "\n");
    }
  }

  std::string Plots() {
    std::string text;
    bool right = false;
    for (const proto::Plot* plot : HandInPlots(sections_)) {
      CollectTexts(*plot);
      absl::StrAppend(&text, right ? "\\hfill\n" : "\\par\\medskip\\noindent\n", LatexPlot(*plot, drawn_, 0.49));
      right = !right;
    }
    return text.empty() ? "" : absl::StrCat(text, "\\par\n");
  }

  // Returns the table of the runs that the texts so far name; empty if they name no run.
  std::string Runs() const {
    if (summary_ == nullptr) {
      return "";
    }
    const proto::Table table = NamedRunsTable(*summary_, letters_, shown_, tools_);
    return table.row().empty()
               ? ""
               : absl::StrCat("\\setcounter{table}{", kTableOfRuns - 1, "}\n", LatexTable(table, "runs"));
  }

  static std::string RunsSentence(const std::string& runs) {
    return runs.empty() ? "" : "\\par The runs are listed in Table~\\ref{tab:runs}.\\par\n";
  }

  std::string Commands() const {
    const std::vector<std::string> commands = CommandsOf(sections_);
    std::string text = commands.empty() ? "" : "\\section{Commands}\n{\\footnotesize\\ttfamily\\raggedright\n";
    for (size_t i = 0; i < std::min(commands.size(), kCommands); ++i) {
      absl::StrAppend(&text, "\\par ", EscapeLatex(ShortenedLine(commands[i], kCommandBytes)), "\\par\n");
    }
    absl::StrAppend(&text, commands.empty() ? "" : "}\n");
    if (commands.size() > kCommands) {
      absl::StrAppend(&text, "\\par ", commands.size() - kCommands, " more commands are in the full report.\\par\n");
    }
    return text;
  }

  const std::vector<proto::Section>& sections_;
  const DrawnPlots& drawn_;
  const proto::Summary* const summary_;  // null: the report has no summary
  std::string shown_;                    // texts of the document, one a line; without the commands
  std::set<std::string> letters_;        // letters of the runs that the shown parts name
  std::set<std::string> tools_;          // tools from whose records answers were made
};

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
  return HandInWriter(sections, plots).Document(head);
}

}  // namespace lockstep
