#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/plot/plot_style.h"
#include "lib/plot/svg_parts.h"
#include "lib/plot/svg_series.h"

namespace lockstep {
namespace {

// Returns the position of a point: sideways shifted, so that series at one x are next to each other.
std::pair<double, double> PlaceOf(const proto::Plot& plot, const PlotLayout& layout, int index, int point) {
  const proto::Series& series = plot.series(index);
  const double share =
      plot.kind() == proto::DOTS && !series.reference() ? kBarShare * ((index + 0.5) / plot.series_size() - 0.5) : 0;
  return {PlaceX(layout, series.x(point) + share) + layout.shift[static_cast<size_t>(index)],
          layout.height - PlaceY(layout, series.y(point))};
}

bool IsDrawn(const proto::Plot& plot, double y) { return !plot.y_log() || y > 0; }

// Returns true for a reference with one value for all x.
bool IsLevel(const proto::Series& series) {
  return series.reference() && !series.y().empty() &&
         std::equal(series.y().begin() + 1, series.y().end(), series.y().begin());
}

void DrawLine(const proto::Plot& plot, const PlotLayout& layout, int index, SvgWriter& out) {
  const proto::Series& series = plot.series(index);
  SvgWriter::Points points;
  for (int i = 0; i < series.x_size(); ++i) {
    if (IsDrawn(plot, series.y(i))) {
      points.push_back(PlaceOf(plot, layout, index, i));
    }
  }
  if (IsLevel(series) && !points.empty()) {  // a base line over the whole width
    points = {{layout.left, points.front().second}, {layout.right, points.front().second}};
  }
  out.Path(points, LineClasses(plot, index));
}

// Draws the interval with a stroke at both ends.
void DrawInterval(const proto::Plot& plot, const PlotLayout& layout, int index, int point, double x, SvgWriter& out) {
  constexpr double kHalfStroke = 3.5;
  const proto::Series& series = plot.series(index);
  if (point >= series.y_low_size() || point >= series.y_high_size() || !(series.y_low(point) < series.y_high(point))) {
    return;
  }
  const double low = layout.height - PlaceY(layout, series.y_low(point));
  const double high = layout.height - PlaceY(layout, series.y_high(point));
  const std::string classes = absl::StrCat("spread ", SeriesClass('k', index));
  out.Line(x, low, x, high, classes);
  for (const double y : {low, high}) {
    out.Line(x - kHalfStroke, y, x + kHalfStroke, y, classes);
  }
}

// Points that are close to each other have small markers or, on a line, none: a reader follows the line.
double MarkerRadius(const proto::Plot& plot, double distance) {
  constexpr double kRoomy = 13, kTight = 6, kSmallRadius = 2.5;
  return plot.kind() != proto::LINES || distance >= kRoomy ? kMarkRadius : distance >= kTight ? kSmallRadius : 0;
}

void DrawMarkers(const proto::Plot& plot, const PlotLayout& layout, int index, SvgWriter& out) {
  constexpr double kMinHitRadius = 3;
  const proto::Series& series = plot.series(index);
  const double distance = (layout.right - layout.left) / std::max(1, series.x_size());
  const double radius = MarkerRadius(plot, distance);
  const double hit = plot.kind() == proto::LINES ? std::clamp(distance, kMinHitRadius, kHitRadius) : kHitRadius;
  for (int i = 0; i < series.x_size(); ++i) {
    if (!IsDrawn(plot, series.y(i))) {
      continue;
    }
    const auto [x, y] = PlaceOf(plot, layout, index, i);
    OpenPoint(PointTitle(plot, series, i), x, y, out, hit);
    DrawInterval(plot, layout, index, i, x, out);
    if (radius > 0) {
      DrawMarker(plot, index, x, y, out, radius);
    }
    out.Close();
  }
}

}  // namespace

// Lines come first, so that no line covers a marker.
void DrawPoints(const proto::Plot& plot, const PlotLayout& layout, SvgWriter& out) {
  for (int i = 0; i < plot.series_size(); ++i) {
    if (plot.kind() == proto::LINES || plot.series(i).reference() || plot.series(i).joined()) {
      DrawLine(plot, layout, i, out);
    }
  }
  for (int i = 0; i < plot.series_size(); ++i) {
    if (!plot.series(i).reference() && !plot.series(i).joined()) {
      DrawMarkers(plot, layout, i, out);
    }
  }
}

}  // namespace lockstep
