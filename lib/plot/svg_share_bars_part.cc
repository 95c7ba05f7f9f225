#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/plot/row_layout.h"
#include "lib/plot/svg_parts.h"
#include "lib/plot/svg_rows.h"
#include "lib/plot/svg_series.h"
#include "lib/plot/text_extent.h"

namespace lockstep {
namespace {

constexpr double kBarHeight = 22;
constexpr double kSwatch = 8;      // side of the coloured square in front of a thin part's value
constexpr double kValueGap = 8;    // distance from the bar to the first value, and between values
constexpr double kTextMargin = 8;  // width by which a part must exceed the text in it

// One part of a bar.
struct Part {
  int series = 0;
  int point = 0;
  double begin = 0, share = 0;  // shares of the bar
};

// Returns "97 %", and one decimal below 10 %.
std::string PercentText(double share) {
  return absl::StrFormat(share * 100 < 9.95 ? "%.1f\u00a0%%" : "%.0f\u00a0%%", share * 100);
}

std::vector<Part> PartsOf(const proto::Plot& plot, int tick) {
  std::vector<Part> parts;
  double sum = 0;
  for (int i = 0; i < plot.series_size(); ++i) {
    const int point = PointAt(plot.series(i), tick);
    if (point >= 0 && plot.series(i).y(point) > 0) {
      parts.push_back({i, point, sum, plot.series(i).y(point)});
      sum += plot.series(i).y(point);
    }
  }
  for (Part& part : parts) {
    part.begin /= sum;
    part.share /= sum;
  }
  return parts;
}

bool IsThin(const Part& part, double bar_width) {
  return part.share * bar_width < TextWidth(PercentText(part.share), kPlotFont) + kTextMargin;
}

// Returns the width of the values that do not fit into their parts, for a bar of this width.
double ThinWidth(const proto::Plot& plot, double bar_width) {
  double widest = 0;
  for (int tick = 0; tick < plot.tick_size(); ++tick) {
    double width = 0;
    for (const Part& part : PartsOf(plot, tick)) {
      width += IsThin(part, bar_width) ? kValueGap + kSwatch + 4 + TextWidth(PercentText(part.share), kPlotFont) : 0;
    }
    widest = std::max(widest, width);
  }
  return widest;
}

void DrawScale(const RowLayout& layout, SvgWriter& out) {
  for (const int percent : {0, 25, 50, 75, 100}) {
    const double x = layout.left + percent / 100.0 * (layout.right - layout.left);
    out.Line(x, layout.top, x, layout.bottom + 3, "grid");
    if (percent % 50 == 0) {
      out.Text(x, layout.bottom + 16, absl::StrCat(percent, "\u00a0%"), "tick", SvgWriter::Anchor::kMiddle);
    }
  }
}

void DrawRow(const proto::Plot& plot, const RowLayout& layout, const PlotRow& row, SvgWriter& out) {
  const double width = layout.right - layout.left;
  double value_x = layout.right + kValueGap;
  for (const Part& part : PartsOf(plot, row.tick)) {
    const double left = layout.left + part.begin * width;
    const std::string text = PercentText(part.share);
    out.Open(absl::StrCat(PointTitle(plot, plot.series(part.series), part.point), "\n", text));
    out.Rect(left, row.y - kBarHeight / 2, std::max(part.share * width, 1.0), kBarHeight,
             absl::StrCat("part ", SeriesClass('p', part.series)));
    if (IsThin(part, width)) {
      out.Rect(value_x, row.y - kSwatch / 2, kSwatch, kSwatch, SeriesClass('p', part.series));
      out.Text(value_x + kSwatch + 4, Baseline(row.y), text, "value");
      value_x += kSwatch + 4 + TextWidth(text, kPlotFont) + kValueGap;
    } else {
      out.Text(left + part.share * width / 2, Baseline(row.y), text,
               absl::StrCat("on", part.series % kSeriesClasses + 1), SvgWriter::Anchor::kMiddle);
    }
    out.Close();
  }
}

}  // namespace

std::string DrawShareBars(const proto::Plot& plot) {
  constexpr double kNarrowest = 180;  // width of the bars if names and values are long
  RowSpace space;
  space.row_height = 30;
  space.above = plot.x_label().empty() ? 4 : 22;
  space.below = 26;
  space.value_width = ThinWidth(plot, kNarrowest);
  std::vector<int> ticks;
  for (int tick = 0; tick < plot.tick_size(); ++tick) {
    ticks.push_back(tick);
  }
  const RowLayout layout = LayOutRows(plot, ticks, space);
  SvgWriter out;
  DrawRowLegend(plot, layout, out);
  if (!plot.x_label().empty()) {
    out.Text(kPlotEdge, layout.top - 6, plot.x_label(), "tick");
  }
  DrawScale(layout, out);
  DrawRowNames(layout, out);
  for (const PlotRow& row : layout.rows) {
    DrawRow(plot, layout, row, out);
  }
  return out.Element(kPlotWidth, layout.height, plot.title(), plot.description());
}

}  // namespace lockstep
