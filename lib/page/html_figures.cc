#include "lib/page/html_figures.h"

#include "absl/strings/str_cat.h"
#include "lib/page/escape.h"
#include "lib/page/html_cell.h"

namespace lockstep {
namespace {

// Returns the verdict of the card that links to the figure, else the plot's own finding.
std::string FindingHtml(const proto::Plot& plot, const std::string& id, const Findings& findings) {
  const auto found = findings.find(id);
  if (found == findings.end()) {
    return plot.finding().empty() ? "" : absl::StrCat("<p class=\"take\">", EscapeHtml(plot.finding()), "</p>\n");
  }
  return absl::StrCat("<p class=\"take\"><span class=\"question\">", EscapeHtml(found->second->question()), "</span> ",
                      EscapeHtml(found->second->verdict()), "</p>\n");
}

std::string FigureHtml(const proto::Plot& plot, const DrawnPlots& plots, const Findings& findings) {
  const auto drawn = plots.find(plot.id());
  const bool absent = drawn == plots.end() || drawn->second.svg.empty();
  const std::string id = absl::StrCat("plot-", plot.id());
  const std::string reason = drawn == plots.end() ? "not drawn" : drawn->second.absent_reason;
  return absl::StrCat(
      "<figure class=\"box figure\" id=\"", EscapeHtml(id), "\"><h3>", EscapeHtml(plot.title()), "</h3>\n",
      FindingHtml(plot, id, findings),
      absent ? absl::StrCat("<p class=\"absent\">", EscapeHtml(reason), ".</p>") : drawn->second.svg,
      plot.description().empty() ? "" : absl::StrCat("\n<figcaption>", EscapeHtml(plot.description()), "</figcaption>"),
      "</figure>\n");
}

// Returns a card that fills the cell which `figures` figures leave empty in two or three columns.
std::string HowToRead(int figures) {
  const bool by2 = figures % 2 != 0, by3 = figures % 3 != 0;
  return figures < 2 || (!by2 && !by3)
             ? ""
             : absl::StrCat(
                   "<div",
                   ClassOf({"box figure odd", by2 ? "by2" : "", by3 ? "by3" : "", figures % 3 == 1 ? "span2" : ""}),
                   "><h3>How to read the figures</h3>\n<ul class=\"reading\">\n"
                   "<li>Point at a mark or a bar to see its value and its interval.</li>\n"
                   "<li>A vertical line through a mark is its interval: the extremes of single measurements, or what "
                   "the caption names.</li>\n"
                   "<li>Series differ by shape, dash and label, not only by colour.</li>\n"
                   "<li>Ticks are at measured values. Bars begin at 0; other axes need not.</li>\n"
                   "</ul></div>\n");
}

}  // namespace

Findings FindingsOf(const proto::Summary& summary) {
  Findings findings;
  for (const proto::SummaryCard& card : summary.card()) {
    for (const proto::CardLink& link : card.link()) {
      if (!card.verdict().empty()) {
        findings.try_emplace(link.target(), &card);
      }
    }
  }
  return findings;
}

void AppendFigures(const proto::Section& section, const DrawnPlots& plots, const Findings& findings, std::string& out) {
  for (int i = 0; i < section.plot_size();) {
    const std::string& group = section.plot(i).group();
    absl::StrAppend(&out,
                    group.empty() ? ""
                                  : absl::StrCat("<details class=\"box group\"><summary><span role=\"heading\" "
                                                 "aria-level=\"3\">",
                                                 EscapeHtml(group), "</span></summary>\n"),
                    "<div class=\"figures\">\n");
    const int first = i;
    for (; i < section.plot_size() && section.plot(i).group() == group; ++i) {
      out += FigureHtml(section.plot(i), plots, findings);
    }
    absl::StrAppend(&out, group.empty() ? HowToRead(i - first) : "", "</div>\n", group.empty() ? "" : "</details>\n");
  }
}

}  // namespace lockstep
