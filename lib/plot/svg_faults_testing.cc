#include "lib/plot/svg_faults_testing.h"

#include <algorithm>
#include <cstdio>
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
  if (upright) {  // rotated by 90 degrees counterclockwise: the text begins at the bottom
    return {x - kAscent * font, y - (width - before), x + kDescent * font, y + before};
  }
  return {x - before, y - kAscent * font, x + width - before, y + kDescent * font};
}

std::string Unescaped(const std::string& text) {
  return absl::StrReplaceAll(text, {{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}});
}

// Finds the axes, which are one path: down the left, then along the bottom.
Box FindArea(const std::string& svg) {
  static const auto* const kAxes =
      new std::regex("d='M([-0-9.]+),([-0-9.]+) L([-0-9.]+),([-0-9.]+) L([-0-9.]+),([-0-9.]+) [ M]");
  for (std::sregex_iterator it(svg.begin(), svg.end(), *kAxes), end; it != end; ++it) {
    if ((*it)[1] == (*it)[3] && (*it)[4] == (*it)[6]) {
      return {ToNumber((*it)[1]), ToNumber((*it)[2]), ToNumber((*it)[5]), ToNumber((*it)[4])};
    }
  }
  return {};
}

void FindTexts(const std::string& svg, SvgMeasures& measures) {
  // A tick's path precedes its label in the same line.
  static const auto* const kText = new std::regex(
      "(<path[^\n]*/>)?\t*<g transform=\"translate\\(([-0-9.]+),([-0-9.]+)\\)( rotate\\(-?90[.0]*\\))?\"[^\n]*"
      "font-size=\"([0-9.]+)\"[^\n]*text-anchor=\"([a-z]+)\">\n\t*<text>([^\n]*)</text>");
  static const auto* const kTick = new std::regex("d='M([-0-9.]+),([-0-9.]+) L([-0-9.]+),([-0-9.]+)  '");
  for (std::sregex_iterator it(svg.begin(), svg.end(), *kText), end; it != end; ++it) {
    const std::string text = Unescaped((*it)[7]);
    const SvgText found = {
        text, BoxOf(ToNumber((*it)[2]), ToNumber((*it)[3]), (*it)[4].matched, (*it)[6], ToNumber((*it)[5]), text)};
    if (text.empty()) {
      continue;  // text of a point in the legend
    }
    const std::string path = (*it)[1];
    std::smatch tick;
    if (!std::regex_search(path, tick, *kTick)) {
      measures.others.push_back(found);
    } else {
      (tick[1] == tick[3] ? measures.x_ticks : measures.y_ticks).push_back(found);
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

void CheckTexts(const SvgMeasures& measures, std::vector<std::string>& faults) {
  const std::vector<SvgText> texts = AllTexts(measures);
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!IsWithin(texts[i].box, measures.drawing)) {
      faults.push_back(absl::StrCat("\"", texts[i].text, "\" leaves the drawing"));
    }
    if (Overlap(texts[i].box, measures.area)) {
      faults.push_back(absl::StrCat("\"", texts[i].text, "\" lies over the points"));
    }
    for (size_t j = 0; j < i; ++j) {
      if (Overlap(texts[i].box, texts[j].box)) {
        faults.push_back(absl::StrCat("\"", texts[j].text, "\" and \"", texts[i].text, "\" overlap"));
      }
    }
  }
}

// Checks that each entry of the legend exists, and that its sample is there, outside the area.
void CheckLegend(const SvgMeasures& measures, const proto::Plot& plot, std::vector<std::string>& faults) {
  for (const LegendLine& line : LayOutPlot(plot).legend) {
    const auto found = std::find_if(measures.others.begin(), measures.others.end(),
                                    [&](const SvgText& text) { return text.text == line.text; });
    if (found == measures.others.end()) {
      faults.push_back(absl::StrCat("\"", line.text, "\" is missing from the legend"));
    } else if (Box entry = found->box; entry.left -= kSampleWidth, Overlap(entry, measures.area)) {
      faults.push_back(absl::StrCat("the legend's \"", line.text, "\" lies over the points"));
    }
  }
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
  static const auto* const kId = new std::regex("\\sid=['\"]([^'\"]*)['\"]");
  for (std::sregex_iterator it(svg.begin(), svg.end(), *kId), end; it != end; ++it) {
    measures.ids.push_back((*it)[1]);
  }
  return measures;
}

std::vector<std::string> SvgFaults(const std::string& svg, const proto::Plot& plot) {
  constexpr size_t kMinLabels = 3;
  const SvgMeasures measures = MeasureSvg(svg);
  std::vector<std::string> faults;
  if (!(measures.area.right > measures.area.left && measures.area.bottom > measures.area.top)) {
    faults.push_back("no axes were found");
  }
  CheckTicks("x", measures.x_ticks, HasNamedTicks(plot) ? static_cast<size_t>(plot.tick_size()) : kMinLabels, faults);
  CheckTicks("y", measures.y_ticks, kMinLabels, faults);
  CheckTexts(measures, faults);
  CheckLegend(measures, plot, faults);
  std::set<std::string> ids;
  for (const std::string& id : measures.ids) {
    if (!ids.insert(id).second) {
      faults.push_back(absl::StrCat("the id \"", id, "\" is there twice"));
    }
  }
  return faults;
}

}  // namespace lockstep::testing
