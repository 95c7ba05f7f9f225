#include "lib/plot/row_layout.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "lib/plot/text_extent.h"

namespace lockstep {
namespace {

constexpr double kMaxNameWidth = 190;  // longer names are broken into lines
constexpr double kNameGap = 10;        // distance from a name to its bar
constexpr double kSwatch = 12;         // width of a sample in the legend
constexpr double kSwatchGap = 6;
constexpr double kEntryGap = 16;
constexpr double kLegendLine = 20;  // height of a line of the legend

// Places the entries one after another, in as many lines as they need. Returns the lower end of the legend.
double PlaceLegend(const proto::Plot& plot, RowLayout& layout) {
  if (plot.series_size() < 2) {
    return kPlotEdge;
  }
  double x = kPlotEdge, y = kPlotEdge + kLegendLine / 2;
  for (int i = 0; i < plot.series_size(); ++i) {
    const double width = kSwatch + kSwatchGap + TextWidth(plot.series(i).label(), kPlotFont);
    if (x > kPlotEdge && x + width > kPlotWidth - kPlotEdge) {
      x = kPlotEdge;
      y += kLegendLine;
    }
    layout.legend.push_back({i, "", plot.series(i).label(), x, y});
    x += width + kEntryGap;
  }
  return y + kLegendLine / 2;
}

}  // namespace

RowLayout LayOutRows(const proto::Plot& plot, const std::vector<int>& ticks, const RowSpace& space) {
  RowLayout layout;
  double name_width = 0;
  for (const int tick : ticks) {
    PlotRow& row = layout.rows.emplace_back();
    row.tick = tick;
    row.lines = WrapText(plot.tick(tick), kPlotFont, kMaxNameWidth);
    name_width = std::max(name_width, WidestLine(row.lines, kPlotFont));
  }
  layout.left = kPlotEdge + std::min(name_width, kPlotWidth / 2) + kNameGap;
  layout.right = kPlotWidth - kPlotEdge - space.value_width;
  layout.top = PlaceLegend(plot, layout) + space.above;
  double y = layout.top;
  for (PlotRow& row : layout.rows) {
    const double more_lines = std::max(0.0, static_cast<double>(row.lines.size()) - 1);
    const double height = space.row_height + more_lines * kLabelSpacing;
    row.y = y + height / 2;
    y += height;
  }
  layout.bottom = y;
  layout.height = y + space.below;
  return layout;
}

int PointAt(const proto::Series& series, int tick) {
  for (int i = 0; i < series.x_size() && i < series.y_size(); ++i) {
    if (series.x(i) == tick) {
      return i;
    }
  }
  return -1;
}

std::vector<int> RankedTicks(const proto::Plot& plot) {
  std::vector<int> ticks(static_cast<size_t>(plot.tick_size()));
  std::iota(ticks.begin(), ticks.end(), 0);
  const auto value = [&](int tick) {
    const int point = plot.series().empty() ? -1 : PointAt(plot.series(0), tick);
    return point < 0 ? -std::numeric_limits<double>::infinity() : plot.series(0).y(point);
  };
  std::stable_sort(ticks.begin(), ticks.end(), [&](int a, int b) { return value(a) > value(b); });
  return ticks;
}

}  // namespace lockstep
