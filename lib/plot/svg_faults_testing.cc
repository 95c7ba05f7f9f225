#include "lib/plot/svg_faults_testing.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <limits>
#include <regex>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "lib/plot/plot_layout.h"
#include "lib/plot/text_extent.h"

namespace lockstep::testing {
namespace {

constexpr double kAscent = 0.76, kDescent = 0.24;  // share of the font size above and below the baseline
constexpr double kTouch = 0.5;                     // smallest overlap of boxes that counts

double ToNumber(const std::string& text) {
  double value = 0;
  return absl::SimpleAtod(text, &value) ? value : 0;
}

bool Overlap(const Box& a, const Box& b) {
  return std::min(a.right, b.right) - std::max(a.left, b.left) > kTouch &&
         std::min(a.bottom, b.bottom) - std::max(a.top, b.top) > kTouch;
}

bool IsWithin(const Box& inner, const Box& outer) {
  return inner.left >= outer.left - kTouch && inner.right <= outer.right + kTouch && inner.top >= outer.top - kTouch &&
         inner.bottom <= outer.bottom + kTouch;
}

// Returns the bounding box of text whose anchor is at (x, y).
Box BoxOf(double x, double y, bool upright, const std::string& anchor, double font, const std::string& text) {
  const double width = TextWidth(text, font);
  const double before = anchor == "end" ? width : anchor == "middle" ? width / 2 : 0;
  if (upright) {  // turned by 90 degrees counterclockwise: the text begins at the bottom
    return {x - kAscent * font, y - (width - before), x + kDescent * font, y + before};
  }
  return {x - before, y - kAscent * font, x + width - before, y + kDescent * font};
}

std::string Unescaped(const std::string& text) {
  return absl::StrReplaceAll(text, {{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&#39;", "'"}, {"&quot;", "\""}});
}

// Returns the area between the x axis, which is the first line of class "axis", and the highest line of the grid.
Box FindArea(const std::string& svg) {
  static const auto* const kLine = new std::regex(
      "<line x1=\"([-0-9.]+)\" y1=\"([-0-9.]+)\" x2=\"([-0-9.]+)\" y2=\"([-0-9.]+)\" class=\"(axis|grid)\"/>");
  Box area;
  area.top = std::numeric_limits<double>::infinity();
  for (std::sregex_iterator it(svg.begin(), svg.end(), *kLine), end; it != end; ++it) {
    if ((*it)[2] == (*it)[4] && (*it)[5] == "grid") {
      area.top = std::min(area.top, ToNumber((*it)[2]));
    } else if ((*it)[2] == (*it)[4] && area.right == 0) {
      area.left = ToNumber((*it)[1]);
      area.right = ToNumber((*it)[3]);
      area.bottom = ToNumber((*it)[2]);
    }
  }
  return area;
}

void FindTexts(const std::string& svg, SvgMeasures& measures) {
  static const auto* const kText = new std::regex(
      "<text x=\"([-0-9.]+)\" y=\"([-0-9.]+)\"( class=\"([^\"]*)\")?( text-anchor=\"([a-z]+)\")?( transform=[^>]*)?>"
      "([^<]*)</text>");
  for (std::sregex_iterator it(svg.begin(), svg.end(), *kText), end; it != end; ++it) {
    const std::string text = Unescaped((*it)[8]);
    const bool turned = (*it)[7].matched;
    const SvgText found = {text, BoxOf(ToNumber((*it)[1]), ToNumber((*it)[2]), turned, (*it)[6], kPlotFont, text)};
    if ((*it)[4] != "tick") {
      measures.others.push_back(found);
    } else {
      ((*it)[6] == "middle" || turned ? measures.x_ticks : measures.y_ticks).push_back(found);
    }
  }
}

std::vector<SvgText> AllTexts(const SvgMeasures& measures) {
  std::vector<SvgText> all = measures.others;
  all.insert(all.end(), measures.x_ticks.begin(), measures.x_ticks.end());
  all.insert(all.end(), measures.y_ticks.begin(), measures.y_ticks.end());
  return all;
}

void CheckTicks(const char* axis, const std::vector<SvgText>& ticks, size_t wanted, std::vector<std::string>& faults) {
  if (ticks.size() < wanted) {
    faults.push_back(absl::StrCat(ticks.size(), " labels on the ", axis, " axis, expected ", wanted, " or more"));
  }
}

bool HasAxes(const proto::Plot& plot) {
  return plot.kind() != proto::SHARE_BARS && plot.kind() != proto::RANKED_DOTS &&
         std::all_of(plot.series().begin(), plot.series().end(), [](const auto& s) { return s.panel().empty(); });
}

void CheckTexts(const SvgMeasures& measures, bool has_axes, std::vector<std::string>& faults) {
  const std::vector<SvgText> texts = AllTexts(measures);
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!IsWithin(texts[i].box, measures.drawing)) {
      faults.push_back(absl::StrCat("\"", texts[i].text, "\" leaves the drawing"));
    }
    if (has_axes && Overlap(texts[i].box, measures.area)) {
      faults.push_back(absl::StrCat("\"", texts[i].text, "\" lies over the points"));
    }
    for (size_t j = 0; j < i; ++j) {
      if (Overlap(texts[i].box, texts[j].box)) {
        faults.push_back(absl::StrCat("\"", texts[j].text, "\" and \"", texts[i].text, "\" overlap"));
      }
    }
  }
}

// Returns the lines of text that name the series and the marks.
std::vector<std::string> LabelTexts(const proto::Plot& plot) {
  std::vector<std::string> texts;
  const PlotLayout layout = LayOutPlot(plot);
  for (const LegendLine& line : layout.legend) {
    texts.push_back(line.text);
  }
  for (const EndLabel& label : layout.end_labels) {
    texts.insert(texts.end(), label.lines.begin(), label.lines.end());
  }
  return texts;
}

void CheckLabels(const SvgMeasures& measures, const proto::Plot& plot, std::vector<std::string>& faults) {
  for (const std::string& label : LabelTexts(plot)) {
    const auto found = std::find_if(measures.others.begin(), measures.others.end(),
                                    [&](const SvgText& text) { return text.text == label; });
    if (found == measures.others.end()) {
      faults.push_back(absl::StrCat("\"", label, "\" is missing"));
    }
  }
}

// Returns the number of values on an axis of numbers, at most three.
size_t ExpectedXTicks(const proto::Plot& plot) {
  if (HasNamedTicks(plot)) {
    return static_cast<size_t>(plot.tick_size());
  }
  std::set<double> values;
  for (const proto::Series& series : plot.series()) {
    values.insert(series.x().begin(), series.x().end());
  }
  return plot.kind() == proto::LINES && !values.empty() ? std::min<size_t>(3, values.size()) : 3;
}

// Returns the number of points and bars that must have a text on hover. A histogram has one text for all its bins.
size_t ExpectedTitles(const proto::Plot& plot) {
  size_t count = 0;
  for (const proto::Series& series : plot.series()) {
    if (series.reference() || series.joined()) {
      continue;
    }
    for (const double y : series.y()) {
      const bool hidden = (plot.y_log() && !(y > 0)) || (plot.kind() == proto::SHARE_BARS && y == 0);
      count += hidden ? 0 : 1;
    }
  }
  return plot.kind() == proto::HISTOGRAM ? static_cast<size_t>(plot.series_size()) : count;
}

}  // namespace

SvgMeasures MeasureSvg(const std::string& svg) {
  SvgMeasures measures;
  if (const size_t at = svg.find("viewBox=\""); at != std::string::npos) {
    std::sscanf(svg.c_str() + at, "viewBox=\"%lf %lf %lf %lf", &measures.drawing.left, &measures.drawing.top,
                &measures.drawing.right, &measures.drawing.bottom);
  }
  measures.area = FindArea(svg);
  FindTexts(svg, measures);
  static const auto* const kTitle = new std::regex("<g><title>([^<]*)</title>");
  for (std::sregex_iterator it(svg.begin(), svg.end(), *kTitle), end; it != end; ++it) {
    measures.titles.push_back(Unescaped((*it)[1]));
  }
  static const auto* const kId = new std::regex("\\sid=['\"]");
  measures.ids = static_cast<int>(std::distance(std::sregex_iterator(svg.begin(), svg.end(), *kId), {}));
  return measures;
}

std::string XmlFault(const std::string& svg) {
  static const auto* const kEntity = new std::regex("&(amp|lt|gt|quot|#39);");
  static const auto* const kTag = new std::regex("<(/?)([a-z]+)(( [-a-zA-Z0-9]+=\"[^\"<]*\")*)(/?)>");
  std::vector<std::string> open;
  for (size_t at = 0; at < svg.size(); ++at) {
    std::smatch tag;
    const auto begin = svg.begin() + static_cast<ptrdiff_t>(at);
    if (svg[at] == '&' && !std::regex_search(begin, svg.end(), *kEntity, std::regex_constants::match_continuous)) {
      return absl::StrCat("not escaped: ", svg.substr(at, 20));
    }
    if (svg[at] == '<' && !std::regex_search(begin, svg.end(), tag, *kTag, std::regex_constants::match_continuous)) {
      return absl::StrCat("no tag: ", svg.substr(at, 20));
    }
    if (svg[at] != '<' || tag[5] == "/") {
      continue;
    }
    if (tag[1] != "/") {
      open.push_back(tag[2]);
    } else if (open.empty() || open.back() != tag[2]) {
      return absl::StrCat("not open: ", svg.substr(at, 20));
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : absl::StrCat("not closed: ", open.back());
}

std::vector<std::string> SvgFaults(const std::string& svg, const proto::Plot& plot) {
  constexpr size_t kMinLabels = 3;
  const SvgMeasures measures = MeasureSvg(svg);
  const bool has_axes = HasAxes(plot);
  std::vector<std::string> faults;
  if (const std::string fault = XmlFault(svg); !fault.empty()) {
    faults.push_back(fault);
  }
  if (has_axes && !(measures.area.right > measures.area.left && measures.area.bottom > measures.area.top)) {
    faults.push_back("no axes were found");
  }
  if (has_axes) {
    CheckTicks("x", measures.x_ticks, ExpectedXTicks(plot), faults);
    CheckTicks("y", measures.y_ticks, kMinLabels, faults);
    CheckLabels(measures, plot, faults);
  }
  CheckTexts(measures, has_axes, faults);
  if (measures.titles.size() != ExpectedTitles(plot)) {
    faults.push_back(absl::StrCat(measures.titles.size(), " texts on hover, expected ", ExpectedTitles(plot)));
  }
  if (measures.ids > 0) {
    faults.push_back("the drawing has an id");
  }
  return faults;
}

}  // namespace lockstep::testing
