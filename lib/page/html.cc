#include "lib/page/html.h"

#include <algorithm>
#include <set>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "lib/base/version.h"
#include "lib/page/escape.h"
#include "lib/page/html_style.h"
#include "lib/page/plot_style.h"
#include "lib/page/summary_text.h"

namespace lockstep {
namespace {

constexpr size_t kLongText = 24;  // labels longer than this may be wrapped
constexpr size_t kProse = 80;     // labels longer than this are sentences
constexpr size_t kDigestDigits = 64;

// Returns the closed legend of marks, notation and words. A link below the card leads to it.
std::string Legend(const std::vector<proto::Term>& terms) {
  const std::string marks = absl::StrJoin(ProvenanceMarks(), "", [](std::string* out, const ProvenanceMark& mark) {
    absl::StrAppend(out, "<li class=\"", mark.name, "\"><sup class=\"mark\">", mark.letter, "</sup> ", mark.name, ": ",
                    mark.meaning, "</li>");
  });
  const std::string words = absl::StrJoin(terms, "", [](std::string* out, const proto::Term& term) {
    absl::StrAppend(out, "<dt>", EscapeHtml(term.name()), "</dt><dd>", EscapeHtml(term.meaning()), "</dd>");
  });
  return absl::StrCat(
      "<details class=\"legend\" id=\"legend\"><summary><span class=\"heading\" role=\"heading\" aria-level=\"2\">How "
      "to "
      "read the numbers and words</span></summary><ul>",
      marks,
      "</ul><p>A mark in a column heading applies to all numbers of the column. A dash is a missing number; its note "
      "gives the reason. ",
      EscapeHtml(kSpreadLegend), ". Point at a rounded number to see all digits.</p>",
      words.empty() ? "" : absl::StrCat("<dl class=\"glossary\">", words, "</dl>"), "</details>\n");
}

std::vector<proto::Term> TermsOf(const std::vector<proto::Section>& sections) {
  std::vector<proto::Term> terms;
  for (const proto::Section& section : sections) {
    terms.insert(terms.end(), section.term().begin(), section.term().end());
  }
  return terms;
}

std::string Contents(const std::vector<proto::Section>& sections) {
  std::string links;
  for (const proto::Section& section : sections) {
    if (section.role() != proto::CARD) {
      absl::StrAppend(&links, "<a href=\"#", EscapeHtml(section.id()), "\">", EscapeHtml(section.title()), "</a> ");
    }
  }
  return absl::StrCat("<nav aria-label=\"Sections\">", links, "<a href=\"#legend\">How to read</a></nav>\n");
}

// Marks where a number may be broken: before its spread or interval, and inside these only if the column is narrower
// still. A number without either is never broken; browsers would break it after the "-" of an exponent.
std::string NumberText(const std::string& text) {
  if (!absl::StrContains(text, ' ')) {
    return absl::StrContains(text, "e-") ? absl::StrCat("<span class=\"whole\">", EscapeHtml(text), "</span>")
                                         : EscapeHtml(text);
  }
  const std::string escaped = absl::StrReplaceAll(EscapeHtml(text), {{"± ", "±\u00a0"}});
  const size_t spread = std::min(escaped.find(" ±"), escaped.find(" ["));
  return spread == std::string::npos ? escaped
                                     : absl::StrCat(escaped.substr(0, spread), " <span class=\"spread\">",
                                                    escaped.substr(spread + 1), "</span>");
}

// Returns the class that sets where a label may be broken. Numbers never are.
std::string LabelClass(const std::string& text) {
  const bool hex = absl::c_all_of(text, [](char c) { return absl::ascii_isxdigit(static_cast<unsigned char>(c)); });
  return text.size() == kDigestDigits && hex ? "digest"
         : text.size() > kProse              ? "prose"
         : text.size() > kLongText           ? "long"
                                             : "";
}

// Writer of one table; `id` must be unique on the page.
class TableWriter {
 public:
  TableWriter(const proto::Table& table, const std::string& id) : table_(table), id_(id), footnotes_(table) {
    int column = 0;
    for (const proto::ColumnGroup& group : table.column_group()) {
      first_of_group_.push_back(column);
      column += static_cast<int>(group.columns());
    }
    for (int i = 0; i < table.column_size(); ++i) {
      column_mark_.push_back(ColumnMark(table, i));
    }
  }

  // Appends the table. If `closed`, its heading opens it.
  void Append(bool closed, NotesOnce& notes, std::string& out) const {
    const std::string id = absl::StrCat(" id=\"", id_, "-heading\">");
    const std::string heading =  // older HTML rules allow only words in a summary
        closed ? absl::StrCat("<span class=\"heading\" role=\"heading\" aria-level=\"3\"", id,
                              EscapeHtml(table_.caption()), "</span>")
               : absl::StrCat("<h3", id, EscapeHtml(table_.caption()), "</h3>");
    absl::StrAppend(&out, closed ? "<details" : "<div", " class=\"table\" id=\"", id_, "\">",
                    closed ? absl::StrCat("<summary>", heading, "</summary>") : heading, "\n");
    if (table_.absent_reason().empty()) {
      AppendTable(out);
      AppendNotes(notes, out);
    } else {
      absl::StrAppend(&out, "<p class=\"absent\">Blank: ", EscapeHtml(table_.absent_reason()), ".</p>\n");
    }
    absl::StrAppend(&out, closed ? "</details>\n" : "</div>\n");
  }

 private:
  void AppendTable(std::string& out) const {
    absl::StrAppend(&out, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"", id_,
                    "-heading\"><table aria-labelledby=\"", id_, "-heading\">\n<thead>");
    AppendHead(out);
    absl::StrAppend(&out, "</thead>\n<tbody>\n");
    for (const proto::Row& row : table_.row()) {
      out += "<tr>";
      for (int i = 0; i < row.cell_size(); ++i) {
        AppendCell(row.cell(i), i, out);
      }
      out += "</tr>\n";
    }
    absl::StrAppend(&out, "</tbody></table></div>\n");
  }

  bool FirstOfGroup(int column) const { return column > 0 && absl::c_linear_search(first_of_group_, column); }

  std::string NoteId(int number) const { return absl::StrCat(id_, "-note", number); }

  void AppendHead(std::string& out) const {
    if (!table_.column_group().empty()) {
      out += "<tr>";
      for (int i = 0; i < table_.column_group_size(); ++i) {
        const proto::ColumnGroup& group = table_.column_group(i);
        absl::StrAppend(&out, group.title().empty() ? "<td" : "<th scope=\"colgroup\"", " class=\"group",
                        FirstOfGroup(first_of_group_[static_cast<size_t>(i)]) ? " first" : "", "\" colspan=\"",
                        group.columns(), "\">", EscapeHtml(group.title()), group.title().empty() ? "</td>" : "</th>");
      }
      out += "</tr>\n";
    }
    out += "<tr>";
    for (int i = 0; i < table_.column_size(); ++i) {
      absl::StrAppend(&out, "<th scope=\"col\"",
                      ClassOf({IsNumeric(table_, i) ? "number" : "", FirstOfGroup(i) ? "first" : "",
                               column_mark_[static_cast<size_t>(i)] == nullptr
                                   ? ""
                                   : std::string(column_mark_[static_cast<size_t>(i)]->name)}),
                      ">", EscapeHtml(table_.column(i)), MarkAtHead(i), "</th>");
    }
    out += "</tr>";
  }

  std::string MarkAtHead(int column) const {
    const ProvenanceMark* const mark = column_mark_[static_cast<size_t>(column)];
    return mark == nullptr ? ""
                           : absl::StrCat("<sup class=\"mark\" title=\"", mark->name, "\">", mark->letter, "</sup>");
  }

  static std::string ClassOf(const std::vector<std::string>& names) {
    std::string classes;
    for (const std::string& name : names) {
      absl::StrAppend(&classes, classes.empty() || name.empty() ? "" : " ", name);
    }
    return classes.empty() ? "" : absl::StrCat(" class=\"", classes, "\"");
  }

  std::string Reference(int footnote) const {
    return footnote == 0 ? ""
                         : absl::StrCat("<sup><a href=\"#", NoteId(footnote), "\" aria-label=\"note ", footnote, "\">",
                                        footnote, "</a></sup>");
  }

  void AppendCell(const proto::Cell& cell, int column, std::string& out) const {
    const std::string first = FirstOfGroup(column) ? "first" : "";
    const std::string number = IsNumeric(table_, column) ? "number" : "";
    const std::string reference = Reference(footnotes_.NumberOf(cell));
    if (!cell.absent_reason().empty()) {
      absl::StrAppend(&out, "<td", ClassOf({"absent", number, first}), " title=\"", EscapeHtml(cell.absent_reason()),
                      "\">–", reference, "</td>");
      return;
    }
    const ProvenanceMark* mark = MarkOf(cell.provenance());
    if (mark == nullptr) {
      const absl::string_view tag = column == 0 ? "th" : "td";
      absl::StrAppend(&out, "<", tag, column == 0 ? " scope=\"row\"" : "",
                      ClassOf({number, LabelClass(cell.text()), first}), ">", EscapeHtml(cell.text()), reference, "</",
                      tag, ">");
      return;
    }
    const bool marked_at_head = column_mark_[static_cast<size_t>(column)] != nullptr;
    absl::StrAppend(&out, "<td", ClassOf({number, std::string(mark->name), first}), " title=\"", mark->name,
                    cell.method().empty() ? "" : absl::StrCat(": ", EscapeHtml(cell.method())),
                    cell.exact().empty() ? "" : absl::StrCat("; all digits: ", EscapeHtml(cell.exact())), "\">",
                    NumberText(cell.text()),
                    marked_at_head ? "" : absl::StrCat("<sup class=\"mark\">", mark->letter, "</sup>"), reference,
                    "</td>");
  }

  void AppendNotes(NotesOnce& notes, std::string& out) const {
    if (!footnotes_.texts().empty()) {
      absl::StrAppend(&out, "<ol class=\"notes numbered\">");
      for (size_t i = 0; i < footnotes_.texts().size(); ++i) {
        absl::StrAppend(&out, "<li id=\"", NoteId(static_cast<int>(i) + 1), "\">", EscapeHtml(footnotes_.texts()[i]),
                        "</li>");
      }
      absl::StrAppend(&out, "</ol>\n");
    }
    std::string before;
    std::vector<std::string> texts = notes.NewOf(table_, before);
    if (!before.empty()) {
      texts.push_back(absl::StrCat("Other notes: see \"", before, "\"."));
    }
    if (!texts.empty()) {
      absl::StrAppend(&out, "<ul class=\"notes\">");
      for (const std::string& note : texts) {
        absl::StrAppend(&out, "<li>", EscapeHtml(note), "</li>");
      }
      absl::StrAppend(&out, "</ul>\n");
    }
  }

  const proto::Table& table_;
  const std::string id_;
  const Footnotes footnotes_;
  std::vector<int> first_of_group_;
  std::vector<const ProvenanceMark*> column_mark_;
};

// Returns the id that verdicts link to, for the first sentence of each question.
std::string AnswerId(const proto::Claim& claim, std::set<std::string>& questions) {
  return claim.question().empty() || !questions.insert(claim.question()).second
             ? ""
             : absl::StrCat(" id=\"answer-", EscapeHtml(claim.question()), "\"");
}

// Writer of a summary in a simple form: headings, lists, one article for each card.
class SummaryWriter {
 public:
  SummaryWriter(const proto::Summary& summary, std::string& out) : summary_(summary), out_(out) {}

  void Append() {
    AppendText("scope", summary_.scope());
    AppendText("badges", absl::StrJoin(summary_.badge(), " \u00b7 "));
    AppendText("lead", summary_.lead());
    out_ += "<ul class=\"chips\" aria-label=\"Questions\">\n";
    for (const proto::QuestionChip& chip : summary_.chip()) {
      absl::StrAppend(&out_, "<li><a href=\"#", EscapeHtml(chip.link()), "\">", EscapeHtml(chip.question()), ": ",
                      AnswerStateText(chip.state()), "</a></li>\n");
    }
    out_ += "</ul>\n";
    AppendChecklist(summary_.trust(), "trust");
    AppendChecklist(summary_.missing(), "missing");
    for (const proto::SummaryCard& card : summary_.card()) {
      AppendCard(card);
    }
  }

 private:
  void AppendText(absl::string_view style, const std::string& text) {
    absl::StrAppend(&out_, text.empty() ? "" : absl::StrCat("<p class=\"", style, "\">", EscapeHtml(text), "</p>\n"));
  }

  void AppendChecklist(const proto::Checklist& list, absl::string_view id) {
    absl::StrAppend(&out_, "<article class=\"checklist\" id=\"", id, "\"><h3>", EscapeHtml(list.title()), "</h3>\n");
    AppendText("verdict", list.verdict());
    out_ += list.item().empty() ? "" : "<ul>\n";
    for (const proto::CheckItem& item : list.item()) {
      absl::StrAppend(&out_, "<li>", CheckStateText(item.state()), ": ", EscapeHtml(item.text()), "</li>\n");
    }
    out_ += list.item().empty() ? "</article>\n" : "</ul></article>\n";
  }

  void AppendCard(const proto::SummaryCard& card) {
    absl::StrAppend(
        &out_, "<article class=\"question-card\"",
        ids_.insert(card.question()).second ? absl::StrCat(" id=\"card-", EscapeHtml(card.question()), "\"") : "",
        "><h3><span class=\"question\">", EscapeHtml(card.question()), "</span> ", EscapeHtml(card.asked()), "</h3>\n");
    if (!card.absent_reason().empty()) {
      AppendText("absent", absl::StrCat("No answer yet. ", card.absent_reason()));
      absl::StrAppend(&out_, "<pre><code>", EscapeHtml(card.command()), "</code></pre></article>\n");
      return;
    }
    AppendText("verdict", card.verdict());
    AppendText("headline", HeadlineText(card.headline()));
    AppendText("support", absl::StrJoin(card.support(), " "));
    const std::string links =
        absl::StrJoin(card.link(), " \u00b7 ", [](std::string* text, const proto::CardLink& link) {
          absl::StrAppend(text, "<a href=\"#", EscapeHtml(link.target()), "\">", EscapeHtml(link.text()), "</a>");
        });
    absl::StrAppend(&out_, links.empty() ? "" : absl::StrCat("<p class=\"links\">", links, "</p>\n"), "</article>\n");
  }

  const proto::Summary& summary_;
  std::string& out_;
  std::set<std::string> ids_;  // questions that have a card with an id
};

void AppendVerdicts(const proto::Section& section, std::string& out) {
  if (section.claim().empty()) {
    return;
  }
  out += "<ul class=\"verdicts\">\n";
  for (const proto::Claim& claim : section.claim()) {
    absl::StrAppend(&out, "<li><span class=\"question\">", EscapeHtml(claim.question()), "</span> ",
                    EscapeHtml(claim.text()), " <a href=\"#", EscapeHtml(claim.link()), "\" aria-label=\"more on ",
                    EscapeHtml(claim.question()), "\">more</a></li>\n");
  }
  out += "</ul>\n";
}

void AppendClaims(const proto::Section& section, std::string& out) {
  if (section.claim().empty()) {
    return;
  }
  std::set<std::string> questions;
  out += "<dl class=\"answers\">\n";
  for (const proto::Claim& claim : section.claim()) {
    absl::StrAppend(&out, "<dt", AnswerId(claim, questions), "><span class=\"question\">", EscapeHtml(claim.question()),
                    "</span>", EscapeHtml(claim.asked()), "</dt>\n");
    if (!claim.absent_reason().empty()) {
      absl::StrAppend(&out, "<dd class=\"absent\">No answer: ", EscapeHtml(claim.absent_reason()), ".</dd>\n");
      continue;
    }
    const std::string sources =
        absl::StrJoin(CondensedSources(claim), ", ", [](std::string* text, const std::string& source) {
          absl::StrAppend(text, "<code>", EscapeHtml(source), "</code>");
        });
    absl::StrAppend(&out, "<dd>", absl::StrReplaceAll(EscapeHtml(claim.text()), {{"\n", "<br>\n"}}),
                    sources.empty() ? "" : absl::StrCat("<div class=\"sources\">From ", sources, "</div>"), "</dd>\n");
  }
  out += "</dl>\n";
}

void AppendPlot(const proto::Plot& plot, const DrawnPlots& plots, std::string& out) {
  const auto drawn = plots.find(plot.id());
  if (drawn == plots.end() || drawn->second.svg.empty()) {
    absl::StrAppend(&out, "<figure class=\"absent\" id=\"plot-", EscapeHtml(plot.id()), "\"><strong>",
                    EscapeHtml(plot.title()), "</strong><br>",
                    EscapeHtml(drawn == plots.end() ? "not drawn" : drawn->second.absent_reason), ".</figure>\n");
    return;
  }
  absl::StrAppend(&out, "<figure id=\"plot-", EscapeHtml(plot.id()), "\"><figcaption>", EscapeHtml(plot.title()),
                  "</figcaption>\n", drawn->second.svg, "</figure>\n");
}

// Appends the warnings. If there are many, the first two are shown and the others are in a closed box.
void AppendWarnings(const proto::Section& section, std::string& out) {
  constexpr int kOpenWarnings = 2;
  const auto append = [&](int i) {
    absl::StrAppend(&out, "<p class=\"warning\"><strong>Warning.</strong> ", EscapeHtml(section.warning(i)), "</p>\n");
  };
  const int open = section.warning_size() <= kOpenWarnings + 1 ? section.warning_size() : kOpenWarnings;
  for (int i = 0; i < open; ++i) {
    append(i);
  }
  if (open < section.warning_size()) {
    absl::StrAppend(&out, "<details class=\"more\"><summary>", section.warning_size() - open,
                    " more warnings</summary>\n");
    for (int i = open; i < section.warning_size(); ++i) {
      append(i);
    }
    out += "</details>\n";
  }
}

void AppendParagraphs(const proto::Section& section, std::string& out) {
  for (const std::string& paragraph : section.paragraph()) {
    absl::StrAppend(&out, "<p>", EscapeHtml(paragraph), "</p>\n");
  }
}

void AppendPlots(const proto::Section& section, const DrawnPlots& plots, std::string& out) {
  if (section.plot().empty()) {
    return;
  }
  for (int i = 0; i < section.plot_size();) {
    const std::string& group = section.plot(i).group();
    absl::StrAppend(&out,
                    group.empty()
                        ? ""
                        : absl::StrCat("<details class=\"group\"><summary><span class=\"heading\" role=\"heading\" "
                                       "aria-level=\"3\">",
                                       EscapeHtml(group), "</span></summary>\n"),
                    "<div class=\"plots\">\n");
    for (; i < section.plot_size() && section.plot(i).group() == group; ++i) {
      AppendPlot(section.plot(i), plots, out);
    }
    absl::StrAppend(&out, "</div>\n", group.empty() ? "" : "</details>\n");
  }
}

void AppendTables(const proto::Section& section, NotesOnce& notes, std::string& out) {
  for (int i = 0; i < section.table_size(); ++i) {
    const proto::Table& table = section.table(i);
    const std::string id = EscapeHtml(table.id().empty() ? absl::StrCat(section.id(), "-table", i + 1) : table.id());
    TableWriter(table, id).Append(section.role() == proto::DETAIL && table.absent_reason().empty(), notes, out);
  }
}

void AppendSection(const proto::Section& section, const DrawnPlots& plots, NotesOnce& notes, std::string& out) {
  const std::string id = EscapeHtml(section.id());
  const bool card = section.role() == proto::CARD;
  absl::StrAppend(&out, "<section id=\"", id, "\"", card ? " class=\"card\"" : "", " aria-labelledby=\"", id,
                  "-heading\">\n<h2 id=\"", id, "-heading\">", EscapeHtml(section.title()), "</h2>\n");
  if (card) {  // results first, then warnings
    if (section.has_summary()) {
      SummaryWriter(section.summary(), out).Append();
    }
    AppendVerdicts(section, out);
    AppendWarnings(section, out);
    if (!section.table().empty()) {
      out += "<div class=\"tables\">\n";
      AppendTables(section, notes, out);
      out += "</div>\n";
    }
    AppendPlots(section, plots, out);
    AppendParagraphs(section, out);
  } else {
    AppendWarnings(section, out);
    AppendClaims(section, out);
    AppendParagraphs(section, out);
    AppendPlots(section, plots, out);
    AppendTables(section, notes, out);
  }
  out += "</section>\n";
}

}  // namespace

std::string RenderHtml(const std::string& title, const std::vector<proto::Section>& sections, const DrawnPlots& plots) {
  std::string out = absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
      EscapeHtml(title), "</title>\n<style>", kStyleSheet, kPlotColors, kPlotRules,
      "</style>\n</head>\n<body>\n<header><h1>", EscapeHtml(title), "</h1></header>\n<main>\n");
  const std::string guide = absl::StrCat(Contents(sections), Legend(TermsOf(sections)));
  NotesOnce notes;
  bool guided = false;
  for (const proto::Section& section : sections) {
    if (!guided && section.role() != proto::CARD) {
      out += guide;  // below the card
      guided = true;
    }
    AppendSection(section, plots, notes, out);
  }
  out += guided ? "" : guide;
  absl::StrAppend(&out, "</main>\n<footer>Made by report (Lockstep ", kVersion,
                  ") from the records named above.</footer>\n"
                  "</body>\n</html>\n");
  return out;
}

}  // namespace lockstep
