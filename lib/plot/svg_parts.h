// Parts of the drawings that svg_plot.h returns, each in a svg_..._part.cc of its own.
#ifndef LOCKSTEP_LIB_PLOT_SVG_PARTS_H_
#define LOCKSTEP_LIB_PLOT_SVG_PARTS_H_

#include <string>

#include "lib/plot/plot_layout.h"
#include "lib/plot/svg_writer.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Draws grid, axes with ticks, axis labels, and vertical marks with their letters. They are drawn before the series.
void DrawAxes(const proto::Plot& plot, const PlotLayout& layout, SvgWriter& out);

// Draws the legend, or the labels at the ends of lines.
void DrawLabels(const proto::Plot& plot, const PlotLayout& layout, SvgWriter& out);

// Draw the series of these kinds: LINES, POINTS and DOTS; STACKED_BARS and GROUPED_BARS; HISTOGRAM.
void DrawPoints(const proto::Plot& plot, const PlotLayout& layout, SvgWriter& out);
void DrawBars(const proto::Plot& plot, const PlotLayout& layout, SvgWriter& out);
void DrawHistogram(const proto::Plot& plot, const PlotLayout& layout, SvgWriter& out);

// Draw whole plots, with layouts of their own, and return their elements: SHARE_BARS, RANKED_DOTS, and LINES with
// panels.
std::string DrawShareBars(const proto::Plot& plot);
std::string DrawRankedDots(const proto::Plot& plot);
std::string DrawPanels(const proto::Plot& plot);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PLOT_SVG_PARTS_H_
