#include "lib/page/html_summary.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "lib/page/escape.h"
#include "lib/page/html_spark.h"
#include "lib/page/summary_text.h"

namespace lockstep {
namespace {

std::string Paragraph(const std::string& style, const std::string& text) {
  return text.empty() ? "" : absl::StrCat("<p class=\"", style, "\">", EscapeHtml(text), "</p>\n");
}

// Returns text that only a screen reader reads.
std::string Hidden(absl::string_view text) { return absl::StrCat("<span class=\"hidden\">", text, "</span>"); }

std::string WarningsHtml(const proto::Section& section) {
  if (!section.summary().has_warning_chip()) {
    return "";
  }
  const proto::WarningChip& chip = section.summary().warning_chip();
  std::string html = absl::StrCat(
      "<details class=\"warnings\"><summary><b>", chip.count(),
      chip.count() == 1 ? " warning:</b> " : " warnings.</b> Worst: ", EscapeHtml(chip.worst()), "</summary>\n<ul>\n");
  for (const std::string& warning : section.warning()) {
    absl::StrAppend(&html, "<li class=\"warning\">", EscapeHtml(warning), "</li>\n");
  }
  return absl::StrCat(html, "</ul></details>\n");
}

std::string ChipClass(proto::AnswerState state) {
  return state == proto::ANSWERED ? "answered" : state == proto::PARTLY ? "partly" : "none";
}

std::string ChipsHtml(const proto::Summary& summary) {
  if (summary.chip().empty()) {
    return "";
  }
  std::string html = "<ul class=\"chips\" aria-label=\"Questions\">\n";
  for (const proto::QuestionChip& chip : summary.chip()) {
    absl::StrAppend(&html, "<li><a class=\"", ChipClass(chip.state()), "\" href=\"#", EscapeHtml(chip.link()), "\">",
                    EscapeHtml(chip.question()), Hidden(absl::StrCat(": ", AnswerStateText(chip.state()))),
                    "</a></li>\n");
  }
  if (!summary.answers().empty()) {
    absl::StrAppend(&html, "<li class=\"count\">", EscapeHtml(summary.answers()), "</li>\n");
  }
  return absl::StrCat(html, "</ul>\n");
}

// Returns a command that is broken between its words only, and after each "&&".
std::string CommandHtml(const std::string& command) {
  const std::string words = absl::StrJoin(
      absl::StrSplit(command, ' '), " ",
      [](std::string* out, absl::string_view word) { absl::StrAppend(out, "<span>", EscapeHtml(word), "</span>"); });
  return absl::StrCat("<pre class=\"command\"><code>",
                      absl::StrReplaceAll(words, {{"<span>&amp;&amp;</span> ", "&amp;&amp;\n"}}), "</code></pre>\n");
}

std::string ChecklistHtml(const proto::Checklist& list, absl::string_view id) {
  std::string html =
      absl::StrCat("<article class=\"card\" id=\"", id, "\"><h3>", EscapeHtml(list.title()), "</h3>\n",
                   Paragraph("verdict", list.verdict()), list.item().empty() ? "" : "<ul class=\"checks\">\n");
  for (const proto::CheckItem& item : list.item()) {
    const bool ok = item.state() == proto::CHECK_OK, warns = item.state() == proto::CHECK_WARNING;
    absl::StrAppend(&html, "<li class=\"",
                    ok      ? "ok"
                    : warns ? "warn"
                            : "missing",
                    "\">", Hidden(absl::StrCat(CheckStateText(item.state()), ": ")), EscapeHtml(item.text()),
                    item.command().empty() ? "" : CommandHtml(item.command()), "</li>\n");
  }
  return absl::StrCat(html, list.item().empty() ? "" : "</ul>", "</article>\n");
}

// Returns the number and the first word of its unit in large type, and the rest as the base of comparison.
std::string HeadlineHtml(const proto::Headline& headline, const proto::Spark& spark) {
  if (headline.number().empty()) {
    return "";
  }
  const std::string& unit = headline.unit();
  const std::string first = unit.substr(0, unit.find(' '));
  std::string base = first.size() < unit.size() ? EscapeHtml(unit.substr(first.size() + 1)) : "";
  for (int i = 0; i < headline.base_size(); ++i) {
    absl::StrAppend(&base, base.empty() ? "" : " ", EscapeHtml(headline.base(i)));
  }
  return absl::StrCat("<div class=\"headline\"><p><b",
                      headline.exact().empty() ? "" : absl::StrCat(" title=\"", EscapeHtml(headline.exact()), "\""),
                      ">", EscapeHtml(headline.number()), "</b>",
                      first.empty() ? "" : absl::StrCat("<span class=\"unit\">", EscapeHtml(first), "</span>"),
                      base.empty() ? "" : absl::StrCat(" <span class=\"base\">", base, "</span>"), "</p>",
                      SparkSvg(spark), "</div>\n");
}

std::string LinksHtml(const proto::SummaryCard& card) {
  const std::string links = absl::StrJoin(card.link(), " \u00b7 ", [](std::string* text, const proto::CardLink& link) {
    absl::StrAppend(text, "<a href=\"#", EscapeHtml(link.target()), "\">", EscapeHtml(link.text()), "</a>");
  });
  return links.empty() ? "" : absl::StrCat("<p class=\"links\">", links, "</p>\n");
}

std::string UnansweredHtml(const proto::SummaryCard& card) {
  return absl::StrCat(
      "<p class=\"verdict\">No answer yet.</p>\n", Paragraph("support", card.absent_reason()),
      card.command().empty()
          ? ""
          : absl::StrCat("<p class=\"links\">This command answers it", card.duration().empty() ? "" : ", in ",
                         EscapeHtml(card.duration()), ":</p>\n", CommandHtml(card.command())));
}

// Returns a card; `id` is an attribute, or empty.
std::string CardHtml(const proto::SummaryCard& card, const std::string& id) {
  const bool open = !card.absent_reason().empty();
  return absl::StrCat(
      "<article class=\"card question-card", open ? " open" : "", "\"", id, "><h3><span class=\"question\">",
      EscapeHtml(card.question()), "</span> ", EscapeHtml(card.asked()),
      card.state() == proto::PARTLY ? "<span class=\"state\">partly</span>" : "", "</h3>\n",
      open ? UnansweredHtml(card)
           : absl::StrCat(Paragraph("verdict", card.verdict()), HeadlineHtml(card.headline(), card.spark()),
                          Paragraph("support", absl::StrJoin(card.support(), " ")), LinksHtml(card)),
      "</article>\n");
}

}  // namespace

void AppendPageHead(const std::string& title, const proto::Section& section, std::string& out) {
  const proto::Summary& summary = section.summary();
  absl::StrAppend(&out, "<header class=\"top\" id=\"top\"><div class=\"in\">\n",
                  section.has_summary() ? "<p class=\"kick\">Lockstep lab report</p>\n" : "", "<h1>", EscapeHtml(title),
                  "</h1>\n", Paragraph("scope", summary.scope()));
  if (!summary.badge().empty()) {
    out += "<ul class=\"badges\" aria-label=\"Conditions\">\n";
    for (const std::string& badge : summary.badge()) {
      absl::StrAppend(&out, "<li>", EscapeHtml(badge), "</li>\n");
    }
    out += "</ul>\n";
  }
  absl::StrAppend(&out, WarningsHtml(section), "</div></header>\n");
}

void AppendSummary(const proto::Summary& summary, std::string& out) {
  absl::StrAppend(&out, Paragraph("lead", summary.lead()), ChipsHtml(summary));
  if (summary.has_trust() || summary.has_missing()) {
    absl::StrAppend(&out, "<div class=\"duo\">\n", ChecklistHtml(summary.trust(), "trust"),
                    ChecklistHtml(summary.missing(), "missing"), "</div>\n");
  }
  if (summary.card().empty()) {
    return;
  }
  out += "<div class=\"cards\">\n";
  std::set<std::string> questions;
  for (const proto::SummaryCard& card : summary.card()) {
    const bool first = questions.insert(card.question()).second;
    out += CardHtml(card, first ? absl::StrCat(" id=\"card-", EscapeHtml(card.question()), "\"") : "");
  }
  out += "</div>\n";
}

}  // namespace lockstep
