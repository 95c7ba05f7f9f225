#include "lib/page/html.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/version.h"
#include "lib/page/escape.h"
#include "lib/page/html_evidence.h"
#include "lib/page/html_figures.h"
#include "lib/page/html_print_style.h"
#include "lib/page/html_style.h"
#include "lib/page/html_summary.h"
#include "lib/page/html_tables.h"
#include "lib/page/plot_style.h"
#include "lib/page/unit_space.h"

namespace lockstep {
namespace {

// Returns the list of sections. Those of role DETAIL are one entry with a list of its own, which is shown where there
// is room.
std::string Contents(const std::vector<proto::Section>& sections) {
  std::string links, details;
  const proto::Section* first_detail = nullptr;
  for (const proto::Section& section : sections) {
    const bool detail = section.role() == proto::DETAIL;
    first_detail = detail && first_detail == nullptr ? &section : first_detail;
    absl::StrAppend(detail ? &details : &links, "<li><a href=\"#", EscapeHtml(section.id()), "\">",
                    EscapeHtml(section.title()), "</a></li>\n");
  }
  return absl::StrCat("<nav class=\"contents\" aria-label=\"Contents\"><ul>\n", links,
                      first_detail == nullptr ? ""
                                              : absl::StrCat("<li><a href=\"#", EscapeHtml(first_detail->id()),
                                                             "\">All tables</a>\n<ul>\n", details, "</ul></li>\n"),
                      "<li><a href=\"#legend\">How to read</a></li>\n</ul></nav>\n");
}

// Returns the legend of marks and notation, and the glossary.
std::string Legend(const std::vector<proto::Section>& sections) {
  std::string words;
  for (const proto::Section& section : sections) {
    for (const proto::Term& term : section.term()) {
      absl::StrAppend(&words, "<dt>", EscapeHtml(term.name()), "</dt><dd>", EscapeHtml(term.meaning()), "</dd>\n");
    }
  }
  const std::string marks = absl::StrJoin(ProvenanceMarks(), "", [](std::string* out, const ProvenanceMark& mark) {
    absl::StrAppend(out, "<li><sup class=\"mark\">", mark.letter, "</sup> ", mark.name, ": ", mark.meaning, "</li>\n");
  });
  return absl::StrCat(
      "<section id=\"legend\" aria-labelledby=\"legend-heading\">\n"
      "<h2 id=\"legend-heading\">How to read the numbers and words</h2>\n"
      "<ul class=\"marks\">\n",
      marks,
      "</ul>\n<p class=\"text\">A mark in a column heading applies to all numbers of the column. A dash is a missing "
      "number; its note gives the reason. ",
      EscapeHtml(kSpreadLegend),
      "; [b, c] is shown as b–c in small type. Point at a rounded number to see all digits.</p>\n",
      words.empty() ? "" : absl::StrCat("<dl class=\"terms\">\n", words, "</dl>\n"), "</section>\n");
}

// Writer of the sections of one page.
class SectionWriter {
 public:
  SectionWriter(const proto::Summary& summary, const DrawnPlots& plots)
      : summary_(summary), plots_(plots), findings_(FindingsOf(summary)) {}

  void Append(const proto::Section& section, std::string& out) {
    const std::string id = EscapeHtml(section.id());
    absl::StrAppend(&out, "<section id=\"", id, "\"", section.role() == proto::DETAIL ? " class=\"detail\"" : "",
                    " aria-labelledby=\"", id, "-heading\">\n<h2 id=\"", id, "-heading\">", EscapeHtml(section.title()),
                    "</h2>\n");
    if (section.role() == proto::CARD) {  // results first, then warnings
      AppendCard(section, out);
    } else {
      AppendWarnings(section, out);
      AppendEvidence(section, out);
      AppendParagraphs(section, out);
      AppendFigures(section, plots_, findings_, out);
      AppendTables(section, summary_, notes_, out);
    }
    out += "</section>\n";
  }

 private:
  void AppendCard(const proto::Section& section, std::string& out) {
    AppendSummary(section.summary(), out);
    AppendVerdicts(section, out);
    if (!section.has_summary()) {  // the header of a page with a summary has the warnings
      AppendWarnings(section, out);
    }
    AppendTables(section, summary_, notes_, out);
    AppendFigures(section, plots_, findings_, out);
    AppendParagraphs(section, out);
  }

  const proto::Summary& summary_;
  const DrawnPlots& plots_;
  const Findings findings_;
  NotesOnce notes_;
};

}  // namespace

std::string RenderHtml(const std::string& title, const std::vector<proto::Section>& sections, const DrawnPlots& plots) {
  std::string out = absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
      EscapeHtml(title), "</title>\n<style>", kPageColors, kPlotColors, kStyleSheet, kPlotRules, kPrintStyle,
      "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n");
  const proto::Section first = sections.empty() ? proto::Section() : sections.front();
  AppendPageHead(title, first, out);
  absl::StrAppend(&out, "<div class=\"layout\">\n", Contents(sections), "<main id=\"main\">\n");
  SectionWriter writer(first.summary(), plots);
  for (const proto::Section& section : sections) {
    writer.Append(section, out);
  }
  absl::StrAppend(
      &out, Legend(sections), "</main>\n</div>\n<footer><p>Made by report (Lockstep ", kVersion,
      ") from the records named above. <a href=\"#top\">Back to the top</a></p></footer>\n</body>\n</html>\n");
  return WithUnitSpaces(out);
}

}  // namespace lockstep
