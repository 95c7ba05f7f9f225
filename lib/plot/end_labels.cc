#include "lib/plot/end_labels.h"

#include <algorithm>
#include <string>

#include "lib/plot/spread_apart.h"
#include "lib/plot/text_extent.h"

namespace lockstep {
namespace {

constexpr double kMaxWidth = 125;  // width of a line of text; more would take the space of the points
constexpr size_t kMaxLines = 3;
constexpr double kMarkerSpace = 8;  // space that a marker needs at the end of its line
constexpr double kLabelGap = 12;    // distance from the end of a line to its label, space for the lead line

std::vector<std::string> LabelLines(const proto::Series& series) {
  return WrapText(series.label(), kPlotFont, kMaxWidth);
}

bool HasIntervals(const proto::Series& series) {
  return series.y_low_size() == series.x_size() && series.y_high_size() == series.x_size();
}

// Returns true for a reference with one value for all x, which is drawn over the whole width.
bool IsLevel(const proto::Series& series) {
  return series.reference() && std::count(series.y().begin(), series.y().end(), series.y(0)) == series.y_size();
}

// Returns true if a point of `a` and a point of `b` have the same x, and their intervals overlap.
bool Overlap(const proto::Series& a, const proto::Series& b) {
  if (!HasIntervals(a) || !HasIntervals(b) || a.reference() || b.reference()) {
    return false;
  }
  for (int i = 0; i < a.x_size(); ++i) {
    for (int j = 0; j < b.x_size(); ++j) {
      const bool drawn = a.y_low(i) < a.y_high(i) || b.y_low(j) < b.y_high(j);
      if (drawn && a.x(i) == b.x(j) && a.y_low(i) <= b.y_high(j) && b.y_low(j) <= a.y_high(i)) {
        return true;
      }
    }
  }
  return false;
}

// Returns the number of series with points, and sets `overlap` if two of them overlap.
int CountShifted(const proto::Plot& plot, bool& overlap) {
  constexpr int kMaxCompared = 200;  // points per series; more are not 11 units apart
  int count = 0;
  for (int i = 0; i < plot.series_size(); ++i) {
    count += plot.series(i).reference() ? 0 : 1;
    for (int j = 0; j < i && !overlap && plot.series(i).x_size() < kMaxCompared; ++j) {
      overlap = plot.series(j).x_size() < kMaxCompared && Overlap(plot.series(i), plot.series(j));
    }
  }
  return count;
}

// Returns the smallest distance between two ticks, and between a tick and an end of the area.
double FreeSpace(const PlotLayout& layout) {
  double space = layout.right - layout.left, before = layout.left - space;
  for (const Tick& tick : layout.x.ticks) {
    const double x = PlaceX(layout, tick.at);
    space = std::min({space, x - before, 2 * (x - layout.left), 2 * (layout.right - x)});
    before = x;
  }
  return space;
}

}  // namespace

double EndLabelWidth(const proto::Plot& plot) {
  if (plot.kind() != proto::LINES || plot.series_size() < 2 || plot.series_size() > kMaxEndLabels) {
    return 0;
  }
  double width = 0;
  for (const proto::Series& series : plot.series()) {
    const std::vector<std::string> lines = LabelLines(series);
    const double widest = WidestLine(lines, kPlotFont);
    width = std::max(width, widest);
    if (lines.empty() || lines.size() > kMaxLines || series.x().empty() || widest > kMaxWidth) {
      return 0;
    }
  }
  return width + kLabelGap;
}

void PlaceEndLabels(const proto::Plot& plot, PlotLayout& layout) {
  if (EndLabelWidth(plot) == 0) {
    return;
  }
  size_t max_lines = 1;
  for (int i = 0; i < plot.series_size(); ++i) {
    const proto::Series& series = plot.series(i);
    const auto last = static_cast<int>(std::max_element(series.x().begin(), series.x().end()) - series.x().begin());
    EndLabel& label = layout.end_labels.emplace_back();
    label.series = i;
    label.lines = LabelLines(series);
    label.x = layout.right + kLabelGap;
    label.end_x = IsLevel(series) ? layout.right - kMarkerSpace
                                  : PlaceX(layout, series.x(last)) + layout.shift[static_cast<size_t>(i)];
    label.end_y = label.y = std::clamp(PlaceY(layout, series.y(last)), layout.bottom, layout.top);
    max_lines = std::max(max_lines, label.lines.size());
  }
  std::vector<double> positions;
  for (const EndLabel& label : layout.end_labels) {
    positions.push_back(label.y);
  }
  SpreadApart(kLabelSpacing * static_cast<double>(max_lines) + (max_lines > 1 ? 3 : 0),
              layout.bottom + kLabelSpacing / 2, layout.top, positions);
  for (size_t i = 0; i < positions.size(); ++i) {
    layout.end_labels[i].y = positions[i];
  }
}

void ShiftSeries(const proto::Plot& plot, PlotLayout& layout) {
  layout.shift.assign(static_cast<size_t>(plot.series_size()), 0);
  if (plot.kind() != proto::LINES) {
    return;
  }
  bool overlap = false;
  const int count = CountShifted(plot, overlap);
  if (!overlap || FreeSpace(layout) < (count + 0.5) * kSeriesShift) {
    return;
  }
  int shifted = 0;
  for (int i = 0; i < plot.series_size(); ++i) {
    if (!plot.series(i).reference()) {
      layout.shift[static_cast<size_t>(i)] = kSeriesShift * (shifted++ - (count - 1) / 2.0);
    }
  }
}

}  // namespace lockstep
