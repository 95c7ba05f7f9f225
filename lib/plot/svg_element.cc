#include "lib/plot/svg_element.h"

#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "lib/page/escape.h"

namespace lockstep {
namespace {

constexpr char kClosing[] = "</svg>";
constexpr char kDescriptionEnd[] = "</desc>";

// Returns the first text after `from` that begins with `begin` and ends with `end`; empty if there is none.
absl::string_view Between(absl::string_view text, absl::string_view begin, absl::string_view end, size_t from = 0) {
  const size_t first = text.find(begin, from);
  const size_t last = first == absl::string_view::npos ? first : text.find(end, first);
  return last == absl::string_view::npos ? "" : text.substr(first, last + end.size() - first);
}

// Removes `part`, which must be a view into `text`.
std::string Without(absl::string_view text, absl::string_view part) {
  const auto at = static_cast<size_t>(part.data() - text.data());
  return absl::StrCat(text.substr(0, at), text.substr(at + part.size()));
}

bool IsUsed(absl::string_view svg, absl::string_view line) {
  const absl::string_view id = Between(line, " id='", "'", 0).empty() ? "" : line.substr(line.find(" id='") + 5);
  const std::string name = absl::StrCat("#", id.substr(0, id.find('\'')), "'");
  return id.empty() || absl::StrContains(svg, name);
}

// Removes unused points and filters, of which gnuplot defines all in each drawing. A point may refer to another.
std::string WithoutUnusedPoints(std::string svg) {
  for (absl::string_view filter = Between(svg, "\t<filter", "</filter>\n"); !filter.empty();
       filter = Between(svg, "\t<filter", "</filter>\n")) {
    svg = Without(svg, filter);  // filter for text with its own background, which no plot has
  }
  for (bool found = true; found;) {
    found = false;
    std::string kept;
    for (const absl::string_view line : absl::StrSplit(svg, '\n')) {
      const bool point = absl::StrContains(line, " id='gp") && absl::EndsWith(line, "/>");
      if (point && !IsUsed(svg, line)) {
        found = true;
      } else {
        absl::StrAppend(&kept, kept.empty() ? "" : "\n", line);
      }
    }
    svg = std::move(kept);
  }
  return svg;
}

bool IsOpening(absl::string_view line) { return absl::StartsWith(line, "<g ") || absl::StartsWith(line, "\t<g trans"); }

bool IsClosing(absl::string_view line) { return line == "</g>" || line == "\t</g>"; }

// Removes groups that are empty or hold only an empty text, and gnuplot's names of the parts, which a page would show.
std::string WithoutEmptyGroups(absl::string_view svg) {
  std::vector<std::string> kept;
  for (const absl::string_view line : absl::StrSplit(svg, '\n')) {
    if (absl::StrContains(line, "<text></text>")) {
      continue;
    }
    if (IsClosing(line) && !kept.empty() && IsOpening(kept.back())) {
      kept.pop_back();
      continue;
    }
    const absl::string_view name = Between(line, "<title>gnuplot_plot_", "</title>");
    kept.push_back(name.empty() ? std::string(line) : Without(line, name));
  }
  return absl::StrJoin(kept, "\n");
}

}  // namespace

std::vector<std::string> SplitSvgs(absl::string_view text) {
  std::vector<std::string> documents;
  for (absl::string_view next = Between(text, "<svg", kClosing); !next.empty();
       next = Between(text, "<svg", kClosing)) {
    documents.emplace_back(next);
    text.remove_prefix(static_cast<size_t>(next.data() + next.size() - text.data()));
  }
  return documents;
}

absl::StatusOr<std::string> SvgElement(const std::string& document, const proto::Plot& plot) {
  const size_t begin = document.find("<svg");
  const size_t description_end = document.find(kDescriptionEnd);
  if (begin == std::string::npos || description_end == std::string::npos) {
    return absl::InternalError("gnuplot wrote no SVG with a description, so there is no plot");
  }
  std::string body = document.substr(description_end + std::strlen(kDescriptionEnd));
  body = WithoutEmptyGroups(WithoutUnusedPoints(std::move(body)));
  body = absl::StrReplaceAll(body, {{" color=\"black\"", ""},
                                    {" color=\"white\"", ""},  // colour of an empty box, which would hide what follows
                                    {"stroke=\"black\"", "stroke=\"currentColor\""},
                                    {"stroke='black'", "stroke='currentColor'"},
                                    {"stroke='rgb(  0,   0,   0)'", "stroke='currentColor'"},
                                    {"fill=\"black\"", "fill=\"currentColor\""},
                                    {"fill = 'black'", "fill='currentColor'"},
                                    {" id='", absl::StrCat(" id='", plot.id(), "-")},
                                    {" id=\"", absl::StrCat(" id=\"", plot.id(), "-")},
                                    {"href='#", absl::StrCat("href='#", plot.id(), "-")},
                                    {"url(#", absl::StrCat("url(#", plot.id(), "-")}});
  const std::string opening = document.substr(begin, document.find('>', begin) - begin);
  // A label is used, because older HTML rules allow no id on a <title>.
  return absl::StrCat(opening, " role=\"img\" aria-label=\"", EscapeHtml(plot.title()), ". ",
                      EscapeHtml(plot.description()), "\">\n<title>", EscapeHtml(plot.title()), "</title>\n<desc>",
                      EscapeHtml(plot.description()), kDescriptionEnd, body);
}

std::string StandaloneSvg(const std::string& element) {
  const size_t end = element.find(kDescriptionEnd);
  const size_t after = end == std::string::npos ? element.find('>') + 1 : end + std::strlen(kDescriptionEnd);
  return absl::StrCat(
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n", element.substr(0, after),
      "\n<style>:root { color: #1b2127; } @media (prefers-color-scheme: dark) { :root { color: #e4e8ec; } "
      ".ground { fill: #14181c; } }</style>\n"
      "<rect class=\"ground\" width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>",
      element.substr(after));
}

}  // namespace lockstep
