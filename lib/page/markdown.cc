#include "lib/page/markdown.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/page/escape.h"
#include "lib/page/summary_text.h"

namespace lockstep {
namespace {

// Returns "¹²" for 12.
std::string Superscript(int number) {
  static constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char digit : absl::StrCat(number)) {
    text += kDigits[digit - '0'];
  }
  return text;
}

std::string Legend() {
  const std::string marks = absl::StrJoin(ProvenanceMarks(), "; ", [](std::string* out, const ProvenanceMark& mark) {
    absl::StrAppend(out, mark.superscript, " ", mark.name, " (", mark.meaning, ")");
  });
  return absl::StrCat("Numbers are marked, in the column heading if all numbers of the column share the mark: ", marks,
                      ". – is a missing number; the note gives the reason. Spread: ", EscapeMarkdown(kSpreadLegend),
                      ".\n");
}

// Returns a cell's text. `marked`: the head of the column already shows the provenance.
std::string CellText(const proto::Cell& cell, bool marked, const Footnotes& footnotes) {
  const int footnote = footnotes.NumberOf(cell);
  const std::string number = footnote == 0 ? "" : Superscript(footnote);
  if (!cell.absent_reason().empty()) {
    return absl::StrCat("–", number);
  }
  const ProvenanceMark* const mark = marked ? nullptr : MarkOf(cell.provenance());
  return absl::StrCat(EscapeMarkdown(cell.text()), mark == nullptr ? "" : absl::StrCat(" ", mark->superscript),
                      number.empty() ? "" : " ", number);
}

std::string RowText(const std::vector<std::string>& cells) {
  return absl::StrCat("| ", absl::StrJoin(cells, " | "), " |\n");
}

// Returns the column headings. GitHub's tables have only one header row, so a group's title precedes the column's name.
std::vector<std::string> Headings(const proto::Table& table) {
  std::vector<std::string> groups;
  for (const proto::ColumnGroup& group : table.column_group()) {
    groups.insert(groups.end(), group.columns(), group.title());
  }
  groups.resize(static_cast<size_t>(table.column_size()));
  std::vector<std::string> headings;
  for (int i = 0; i < table.column_size(); ++i) {
    const std::string& group = groups[static_cast<size_t>(i)];
    const ProvenanceMark* const mark = ColumnMark(table, i);
    headings.push_back(
        absl::StrCat(EscapeMarkdown(group.empty() ? table.column(i) : absl::StrCat(group, ": ", table.column(i))),
                     mark == nullptr ? "" : absl::StrCat(" ", mark->superscript)));
  }
  return headings;
}

void AppendTable(const proto::Table& table, std::string& out) {
  absl::StrAppend(&out, "\n**", EscapeMarkdown(table.caption()), "**\n\n");
  if (!table.absent_reason().empty()) {
    absl::StrAppend(&out, "Blank: ", EscapeMarkdown(table.absent_reason()), ".\n");
    return;
  }
  const Footnotes footnotes(table);
  std::vector<std::string> rules;
  std::vector<bool> marked;
  for (int i = 0; i < table.column_size(); ++i) {
    marked.push_back(ColumnMark(table, i) != nullptr);
    rules.push_back(IsNumeric(table, i) ? "---:" : "---");
  }
  absl::StrAppend(&out, RowText(Headings(table)), RowText(rules));
  for (const proto::Row& row : table.row()) {
    std::vector<std::string> cells;
    for (int i = 0; i < row.cell_size(); ++i) {
      cells.push_back(CellText(row.cell(i), marked[static_cast<size_t>(i)], footnotes));
    }
    absl::StrAppend(&out, RowText(cells));
  }
  out += '\n';
  for (size_t i = 0; i < footnotes.texts().size(); ++i) {
    absl::StrAppend(&out, "- ", Superscript(static_cast<int>(i) + 1), " ", EscapeMarkdown(footnotes.texts()[i]), "\n");
  }
  for (const std::string& note : table.note()) {
    absl::StrAppend(&out, "- ", EscapeMarkdown(note), "\n");
  }
}

void AppendClaim(const proto::Claim& claim, std::string& out) {
  // Bold text in Markdown ends only if no space precedes the asterisks.
  const std::string question = claim.question().empty() ? "" : absl::StrCat(EscapeMarkdown(claim.question()), ".");
  const absl::string_view between = question.empty() || claim.asked().empty() ? "" : " ";
  absl::StrAppend(&out, "\n**", question, between, EscapeMarkdown(claim.asked()), "** ");
  if (claim.absent_reason().empty()) {
    const std::string sources = absl::StrJoin(
        CondensedSources(claim), ", ",
        [](std::string* text, const std::string& source) { absl::StrAppend(text, MarkdownCode(source)); });
    const std::string text =
        absl::StrJoin(absl::StrSplit(TextWithReferences(claim), '\n'), "<br>\n",
                      [](std::string* lines, absl::string_view line) { absl::StrAppend(lines, EscapeMarkdown(line)); });
    absl::StrAppend(&out, text, "\n", sources.empty() ? "" : absl::StrCat("<br>From ", sources, "\n"));
  } else {
    absl::StrAppend(&out, "– *No answer:* ", EscapeMarkdown(claim.absent_reason()), ".\n");
  }
}

// Returns the text without line breaks, which would end an indented block of code.
std::string OneLine(const std::string& text) {
  return absl::StrJoin(absl::StrSplit(text, absl::ByAnyChar("\r\n")), " ");
}

void AppendChecklist(const proto::Checklist& list, std::string& out) {
  absl::StrAppend(&out, "\n### ", EscapeMarkdown(list.title()), "\n\n**", EscapeMarkdown(list.verdict()), "**\n\n");
  for (const proto::CheckItem& item : list.item()) {
    absl::StrAppend(&out, "- ", CheckStateText(item.state()), ": ", EscapeMarkdown(item.text()), "\n",
                    item.command().empty() ? "" : absl::StrCat("\n      ", OneLine(item.command()), "\n\n"));
  }
}

void AppendCard(const proto::SummaryCard& card, std::string& out) {
  absl::StrAppend(&out, "\n### ", EscapeMarkdown(absl::StrCat(card.question(), ". ", card.asked())), "\n\n");
  if (!card.absent_reason().empty()) {
    absl::StrAppend(&out, "No answer yet. ", EscapeMarkdown(card.absent_reason()), "\n",
                    card.command().empty() ? "" : absl::StrCat("\n    ", OneLine(card.command()), "\n"));
    return;
  }
  absl::StrAppend(&out, "**", EscapeMarkdown(card.verdict()), "**\n");
  if (const std::string headline = HeadlineText(card.headline()); !headline.empty()) {
    absl::StrAppend(&out, "\n", EscapeMarkdown(headline), ".\n");
  }
  for (const std::string& support : card.support()) {
    absl::StrAppend(&out, "\n", EscapeMarkdown(support), "\n");
  }
}

void AppendSummary(const proto::Summary& summary, std::string& out) {
  for (const std::string& line :
       {summary.scope(), absl::StrJoin(summary.badge(), "; "), summary.lead(), ChipsText(summary)}) {
    absl::StrAppend(&out, line.empty() ? "" : absl::StrCat("\n", EscapeMarkdown(line), "\n"));
  }
  AppendChecklist(summary.trust(), out);
  AppendChecklist(summary.missing(), out);
  for (const proto::SummaryCard& card : summary.card()) {
    AppendCard(card, out);
  }
}

void AppendPlot(const proto::Plot& plot, const DrawnPlots& plots, std::string& out) {
  const auto drawn = plots.find(plot.id());
  if (drawn == plots.end() || drawn->second.file.empty()) {
    absl::StrAppend(
        &out, "\n*", EscapeMarkdown(plot.title()), ": ",
        EscapeMarkdown(drawn == plots.end() || drawn->second.absent_reason.empty() ? "drawn in the HTML page only"
                                                                                   : drawn->second.absent_reason),
        ".*\n");
    return;
  }
  absl::StrAppend(&out, "\n**", EscapeMarkdown(plot.title()), "**\n\n![",
                  EscapeMarkdown(absl::StrCat(plot.title(), ". ", plot.description())), "](",
                  MarkdownTarget(drawn->second.file), ")\n");
}

void AppendTerms(const std::vector<proto::Section>& sections, std::string& out) {
  bool first = true;
  for (const proto::Section& section : sections) {
    for (const proto::Term& term : section.term()) {
      absl::StrAppend(&out, first ? "\n## Words\n\n" : "", "- **", EscapeMarkdown(term.name()),
                      "**: ", EscapeMarkdown(term.meaning()), "\n");
      first = false;
    }
  }
}

}  // namespace

std::string RenderMarkdown(const std::string& title, const std::vector<proto::Section>& sections,
                           const DrawnPlots& plots) {
  std::string out = absl::StrCat("# ", EscapeMarkdown(title), "\n\n", Legend());
  for (const proto::Section& section : sections) {
    absl::StrAppend(&out, "\n## ", EscapeMarkdown(section.title()), "\n");
    if (section.has_summary()) {
      AppendSummary(section.summary(), out);
    }
    for (const std::string& warning : section.warning()) {
      absl::StrAppend(&out, "\n> **Warning.** ", EscapeMarkdown(warning), "\n");
    }
    for (const std::string& paragraph : section.paragraph()) {
      absl::StrAppend(&out, "\n", EscapeMarkdown(paragraph), "\n");
    }
    for (const proto::Claim& claim : section.claim()) {
      AppendClaim(claim, out);
    }
    std::string group;
    for (const proto::Plot& plot : section.plot()) {
      if (plot.group() != group) {
        group = plot.group();
        absl::StrAppend(&out, group.empty() ? "" : absl::StrCat("\n### ", EscapeMarkdown(group), "\n"));
      }
      AppendPlot(plot, plots, out);
    }
    for (const proto::Table& table : section.table()) {
      AppendTable(table, out);
    }
  }
  AppendTerms(sections, out);
  return out;
}

}  // namespace lockstep
