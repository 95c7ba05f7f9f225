#include <algorithm>
#include <string>
#include <vector>

#include "lib/plot/spread_apart.h"
#include "lib/plot/svg_parts.h"
#include "lib/plot/svg_rows.h"
#include "lib/plot/svg_series.h"
#include "lib/plot/text_extent.h"

namespace lockstep {
namespace {

constexpr double kPanelHeight = 100;  // height of the area that the axes of a panel enclose
constexpr double kHeading = 22;       // height of a panel's heading
constexpr double kTickLine = 24;      // height of the labels below a panel
constexpr double kColumnGap = 16;
constexpr double kLabelGap = 8;

// One small plot.
struct Panel {
  std::string heading;
  proto::Plot plot;  // the series of this panel, and the labels of the axes for the texts on hover
};

std::vector<Panel> PanelsOf(const proto::Plot& plot) {
  std::vector<Panel> panels;
  for (const proto::Series& series : plot.series()) {
    auto found =
        std::find_if(panels.begin(), panels.end(), [&](const Panel& panel) { return panel.heading == series.panel(); });
    if (found == panels.end()) {
      found = panels.insert(panels.end(), Panel());
      found->heading = series.panel();
      found->plot = plot;
      found->plot.clear_series();
      found->plot.clear_mark();
    }
    *found->plot.add_series() = series;
  }
  return panels;
}

bool HasOneSeriesEach(const std::vector<Panel>& panels) {
  return std::all_of(panels.begin(), panels.end(), [](const Panel& panel) { return panel.plot.series_size() == 1; });
}

// Returns the width of the labels at the ends of the lines; 0 if each panel has a single line, which its heading names.
double LabelWidth(const std::vector<Panel>& panels) {
  double width = 0;
  for (const Panel& panel : panels) {
    for (const proto::Series& series : panel.plot.series()) {
      width = std::max(width, TextWidth(series.label(), kPlotFont) + kLabelGap);
    }
  }
  return HasOneSeriesEach(panels) ? 0 : width;
}

bool TicksFit(const PlotLayout& layout) {
  double end = layout.left - kPlotWidth;
  for (const Tick& tick : layout.x.ticks) {
    const double x = PlaceX(layout, tick.at), half = TextWidth(tick.label, kPlotFont) / 2;
    if (x - half < end + kLabelGap) {
      return false;
    }
    end = x + half;
  }
  return true;
}

// Keeps every second, third, ... tick, if the labels would touch in a panel. The first tick stays.
void ThinOutTicks(PlotLayout& layout) {
  const std::vector<Tick> all = layout.x.ticks;
  for (size_t stride = 2; !TicksFit(layout) && stride <= all.size(); ++stride) {
    layout.x.ticks.clear();
    for (size_t i = 0; i < all.size(); i += stride) {
      layout.x.ticks.push_back(all[i]);
    }
  }
}

void DrawEndLabels(const proto::Plot& plot, const PlotLayout& layout, SvgWriter& out) {
  std::vector<double> places;
  for (const proto::Series& series : plot.series()) {
    places.push_back(series.y().empty() ? layout.bottom : PlaceY(layout, *series.y().rbegin()));
  }
  SpreadApart(kLabelSpacing, layout.bottom, layout.top, places);
  for (int i = 0; i < plot.series_size(); ++i) {
    out.Text(layout.right + kLabelGap, Baseline(layout.height - places[static_cast<size_t>(i)]), plot.series(i).label(),
             SeriesClass('t', i));
  }
}

// Draws the lines of the other panels, to compare with.
void DrawGhosts(const proto::Plot& plot, const std::string& heading, const PlotLayout& layout, SvgWriter& out) {
  for (const proto::Series& series : plot.series()) {
    SvgWriter::Points points;
    for (int i = 0; i < series.x_size() && series.panel() != heading; ++i) {
      points.push_back({PlaceX(layout, series.x(i)), layout.height - PlaceY(layout, series.y(i))});
    }
    out.Path(points, "ghost");
  }
}

}  // namespace

std::string DrawPanels(const proto::Plot& plot) {
  constexpr int kMaxGhosts = 12;
  const std::vector<Panel> panels = PanelsOf(plot);
  const bool single = HasOneSeriesEach(panels);
  const double label_width = LabelWidth(panels);
  const int columns = std::min(static_cast<int>(panels.size()), single && panels.size() > 4 ? 3 : 2);
  const int rows = (static_cast<int>(panels.size()) + columns - 1) / columns;
  const PlotLayout whole = LayOutPlot(plot);  // its axes are those of all panels
  const double first_left = whole.left;
  const double width =
      (kPlotWidth - kPlotEdge - first_left - (columns - 1) * kColumnGap - columns * label_width) / columns;
  const double row_height = kHeading + kPanelHeight + kTickLine;
  const double top = 20;  // space for the label of the y axis
  const double height = top + rows * row_height + 20;
  SvgWriter out;
  out.Text(kPlotEdge, 14, plot.y_label(), "");
  for (size_t i = 0; i < panels.size(); ++i) {
    const int column = static_cast<int>(i) % columns, row = static_cast<int>(i) / columns;
    PlotLayout layout;
    layout.height = height;
    layout.x = whole.x;
    layout.y = whole.y;
    layout.left = first_left + column * (width + label_width + kColumnGap);
    layout.right = layout.left + width;
    layout.top = height - (top + row * row_height + kHeading);
    layout.bottom = layout.top - kPanelHeight;
    layout.shift.assign(static_cast<size_t>(panels[i].plot.series_size()), 0);
    ThinOutTicks(layout);
    for (size_t j = 0; j < layout.y.ticks.size(); ++j) {
      layout.y.ticks[j].label = column > 0 || j % 2 == 1 ? "" : layout.y.ticks[j].label;
    }
    proto::Plot unlabelled = panels[i].plot;
    unlabelled.clear_x_label();
    unlabelled.clear_y_label();
    DrawAxes(unlabelled, layout, out);
    out.Text(layout.left, Baseline(height - layout.top - kHeading / 2), panels[i].heading, "value");
    if (single && plot.series_size() <= kMaxGhosts) {
      DrawGhosts(plot, panels[i].heading, layout, out);
    }
    DrawPoints(panels[i].plot, layout, out);
    if (label_width > 0) {
      DrawEndLabels(panels[i].plot, layout, out);
    }
  }
  out.Text(kPlotWidth / 2, height - 8, plot.x_label(), "", SvgWriter::Anchor::kMiddle);
  return out.Element(kPlotWidth, height, plot.title(), plot.description());
}

}  // namespace lockstep
