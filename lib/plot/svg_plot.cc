#include "lib/plot/svg_plot.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lib/page/plot_style.h"
#include "lib/plot/plot_layout.h"
#include "lib/plot/svg_parts.h"
#include "lib/plot/svg_writer.h"

namespace lockstep {
namespace {

bool HasPanels(const proto::Plot& plot) {
  return plot.kind() == proto::LINES && std::any_of(plot.series().begin(), plot.series().end(),
                                                    [](const auto& series) { return !series.panel().empty(); });
}

std::string DrawWithAxes(const proto::Plot& plot) {
  const PlotLayout layout = LayOutPlot(plot);
  SvgWriter out;
  DrawAxes(plot, layout, out);
  switch (plot.kind()) {
    case proto::STACKED_BARS:
    case proto::GROUPED_BARS:
      DrawBars(plot, layout, out);
      break;
    case proto::HISTOGRAM:
      DrawHistogram(plot, layout, out);
      break;
    default:
      DrawPoints(plot, layout, out);
      break;
  }
  DrawLabels(plot, layout, out);
  return out.Element(layout.width, layout.height, plot.title(), plot.description());
}

}  // namespace

std::string DrawSvg(const proto::Plot& plot) {
  return plot.kind() == proto::SHARE_BARS    ? DrawShareBars(plot)
         : plot.kind() == proto::RANKED_DOTS ? DrawRankedDots(plot)
         : HasPanels(plot)                   ? DrawPanels(plot)
                                             : DrawWithAxes(plot);
}

std::string StandaloneSvg(const std::string& element) {
  constexpr char kDescriptionEnd[] = "</desc>";
  const size_t end = element.find(kDescriptionEnd);
  const size_t after = end == std::string::npos ? element.find('>') + 1 : end + std::strlen(kDescriptionEnd);
  return absl::StrCat("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n", element.substr(0, after), "\n<style>",
                      kPlotColors, kPlotRules,
                      ".plot { max-width: none; }\n.ground { fill: var(--card, #fff); }\n</style>\n",
                      "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>", element.substr(after));
}

}  // namespace lockstep
