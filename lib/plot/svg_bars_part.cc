#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/plot/plot_style.h"
#include "lib/plot/svg_parts.h"
#include "lib/plot/svg_series.h"

namespace lockstep {
namespace {

// Interval of a bar, drawn in front of all bars.
struct Spread {
  double x, low, high;
};

void DrawSpreads(const std::vector<Spread>& spreads, SvgWriter& out) {
  constexpr double kHalfStroke = 3.5;
  for (const Spread& spread : spreads) {
    out.Line(spread.x, spread.low, spread.x, spread.high, "ends");
    for (const double y : {spread.low, spread.high}) {
      out.Line(spread.x - kHalfStroke, y, spread.x + kHalfStroke, y, "ends");
    }
  }
}

}  // namespace

void DrawBars(const proto::Plot& plot, const PlotLayout& layout, SvgWriter& out) {
  const bool stacked = plot.kind() == proto::STACKED_BARS;
  const double width = stacked ? kBarShare : kBarShare / std::max(1, plot.series_size());
  const auto down = [&](double y) { return layout.height - PlaceY(layout, y); };
  std::vector<double> top(static_cast<size_t>(plot.tick_size()), 0);
  std::vector<Spread> spreads;
  for (int i = 0; i < plot.series_size(); ++i) {
    const proto::Series& series = plot.series(i);
    for (int j = 0; j < series.x_size(); ++j) {
      if (!(series.x(j) >= 0 && series.x(j) < plot.tick_size())) {
        continue;  // no name, and so no place
      }
      double& bottom = top[static_cast<size_t>(series.x(j))];
      const double left = series.x(j) - kBarShare / 2 + (stacked ? 0 : i * width);
      const double x = PlaceX(layout, left), right = PlaceX(layout, left + width);
      const double ends[] = {down(bottom), down(bottom + series.y(j))};
      out.Open(PointTitle(plot, series, j));
      out.Rect(x, std::min(ends[0], ends[1]), right - x, std::max(ends[0], ends[1]) - std::min(ends[0], ends[1]),
               absl::StrCat("part ", SeriesClass('p', i)));
      out.Close();
      if (j < series.y_low_size() && j < series.y_high_size() && series.y_low(j) < series.y_high(j)) {
        // On a stack the intervals are side by side, so that none covers another.
        const double share = stacked ? (i + 1.0) / (plot.series_size() + 1) : 0.5;
        spreads.push_back({x + share * (right - x), down(bottom + series.y_low(j)), down(bottom + series.y_high(j))});
      }
      bottom += stacked ? series.y(j) : 0;
    }
  }
  DrawSpreads(spreads, out);
}

}  // namespace lockstep
