#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/plot/plot_axis.h"
#include "lib/plot/row_layout.h"
#include "lib/plot/svg_parts.h"
#include "lib/plot/svg_rows.h"
#include "lib/plot/svg_series.h"
#include "lib/plot/text_extent.h"

namespace lockstep {
namespace {

using Anchor = SvgWriter::Anchor;

// Number of decimals with which the largest value has three significant digits.
int Decimals(const proto::Plot& plot) {
  double largest = 0;
  for (const proto::Series& series : plot.series()) {
    for (const double y : series.y()) {
      largest = std::max(largest, std::abs(y));
    }
  }
  return largest > 0 ? static_cast<int>(std::clamp(2 - std::floor(std::log10(largest)), 0.0, 6.0)) : 0;
}

Axis ValueAxis(const proto::Plot& plot, double length) {
  AxisRequest request;
  request.low = std::numeric_limits<double>::infinity();
  request.high = -request.low;
  const auto add = [&](double value) {
    request.low = std::min(request.low, value);
    request.high = std::max(request.high, value);
  };
  for (const proto::Series& series : plot.series()) {
    for (const auto* values : {&series.y(), &series.y_low(), &series.y_high()}) {
      std::for_each(values->begin(), values->end(), add);
    }
  }
  for (const proto::Mark& mark : plot.mark()) {
    add(mark.x());
  }
  request.margin = true;
  request.length = length;
  request.font_size = kPlotFont;
  return MakeAxis(request);
}

// Draws the scale, and the labels of the base lines above it.
void DrawScale(const proto::Plot& plot, const RowLayout& layout, const Axis& axis, SvgWriter& out) {
  const double length = layout.right - layout.left;
  for (const Tick& tick : axis.ticks) {
    const double x = layout.left + PlaceOnAxis(axis, tick.at) * length;
    out.Line(x, layout.top, x, layout.bottom, "grid");
    out.Text(x, layout.bottom + 16, tick.label, "tick", Anchor::kMiddle);
  }
  out.Line(layout.left, layout.bottom, layout.right, layout.bottom, "axis");
  out.Text((layout.left + layout.right) / 2, layout.bottom + 34, plot.y_label(), "", Anchor::kMiddle);
  double y = layout.top - 8 - kLabelSpacing * (plot.mark_size() - 1);
  for (const proto::Mark& mark : plot.mark()) {
    const double x = layout.left + PlaceOnAxis(axis, mark.x()) * length;
    const double half = TextWidth(mark.label(), kPlotFont) / 2;
    out.Line(x, y + 4, x, layout.bottom, "base");
    out.Text(std::max(kPlotEdge + half, std::min(x, kPlotWidth - kPlotEdge - half)), y, mark.label(), "tick",
             Anchor::kMiddle);
    y += kLabelSpacing;
  }
}

void DrawDot(const proto::Plot& plot, const RowLayout& layout, const Axis& axis, const PlotRow& row, int index,
             SvgWriter& out) {
  constexpr double kApart = 8;  // distance between the series of a row
  const proto::Series& series = plot.series(index);
  const int point = PointAt(series, row.tick);
  if (point < 0) {
    return;
  }
  const double y = row.y + kApart * (index - (plot.series_size() - 1) / 2.0);
  const auto place = [&](double value) {
    return layout.left + PlaceOnAxis(axis, value) * (layout.right - layout.left);
  };
  OpenPoint(PointTitle(plot, series, point), place(series.y(point)), y, out);
  if (point < series.y_low_size() && point < series.y_high_size() && series.y_low(point) < series.y_high(point)) {
    out.Line(place(series.y_low(point)), y, place(series.y_high(point)), y,
             absl::StrCat("spread ", SeriesClass('k', index)));
  }
  DrawMarker(plot, index, place(series.y(point)), y, out);
  out.Close();
}

// Draws the value of the first series.
void DrawValue(const proto::Plot& plot, const PlotRow& row, int decimals, SvgWriter& out) {
  const int point = plot.series().empty() ? -1 : PointAt(plot.series(0), row.tick);
  if (point >= 0) {
    out.Text(kPlotWidth - kPlotEdge, Baseline(row.y), absl::StrFormat("%.*f", decimals, plot.series(0).y(point)),
             "value", Anchor::kEnd);
  }
}

}  // namespace

std::string DrawRankedDots(const proto::Plot& plot) {
  const int decimals = Decimals(plot);
  RowSpace space;
  space.row_height = 22 + 6.0 * std::max(0, plot.series_size() - 1);
  space.above = plot.mark().empty() ? 4 : 8 + kLabelSpacing * plot.mark_size();
  space.below = 44;
  space.value_width = 20;
  for (const proto::Series& series : plot.series()) {
    for (const double y : series.y()) {
      space.value_width = std::max(space.value_width, TextWidth(absl::StrFormat("%.*f ", decimals, y), kPlotFont) + 14);
    }
  }
  const RowLayout layout = LayOutRows(plot, RankedTicks(plot), space);
  const Axis axis = ValueAxis(plot, layout.right - layout.left);
  SvgWriter out;
  DrawRowLegend(plot, layout, out);
  DrawScale(plot, layout, axis, out);
  DrawRowNames(layout, out);
  for (const PlotRow& row : layout.rows) {
    for (int i = 0; i < plot.series_size(); ++i) {
      DrawDot(plot, layout, axis, row, i, out);
    }
    DrawValue(plot, row, decimals, out);
  }
  return out.Element(kPlotWidth, layout.height, plot.title(), plot.description());
}

}  // namespace lockstep
