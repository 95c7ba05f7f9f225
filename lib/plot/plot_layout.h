// Positions of all elements of a plot with two axes: ticks, labels at the ends of lines or a legend below, letters of
// the marks above. svg_plot.h and gnuplot_script.h draw them.
//
// gnuplot's own legend covers points, and silently omits entries that do not fit. Therefore this code computes the
// space.
#ifndef LOCKSTEP_LIB_PLOT_PLOT_LAYOUT_H_
#define LOCKSTEP_LIB_PLOT_PLOT_LAYOUT_H_

#include <string>
#include <vector>

#include "lib/plot/plot_axis.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Sizes are in the unit of the drawing, a CSS pixel if the drawing is shown this wide. A column on a phone is four
// fifths as wide, so that labels of size 13 appear as size 10.5.
inline constexpr double kPlotWidth = 460;
inline constexpr double kPlotFont = 13;
inline constexpr double kSampleWidth = 30;  // width of a line or box in the legend
inline constexpr double kPlotEdge = 8;      // empty space at the drawing's edges
inline constexpr double kXLabelGap = 13;    // distance from the x axis to its labels
inline constexpr double kSampleGap = 7;     // distance from a sample to its text

// Line of text in the legend. Only the first line of an entry has the sample.
struct LegendLine {
  int series = -1;     // series whose sample precedes the text; -1: no sample
  std::string letter;  // letter of a mark, instead of a sample; empty: no letter
  std::string text;
  double x = 0;  // left end of the sample; the text is to the right of it
  double y = 0;  // middle of the line
};

// Label of a series next to the end of its line. A lead line joins both if the label had to move.
struct EndLabel {
  int series = 0;
  std::vector<std::string> lines;  // text, broken into lines
  double x = 0, y = 0;             // left end and middle of the text
  double end_x = 0, end_y = 0;     // end of the series' line
};

// Letters above the line of a mark.
struct MarkLetters {
  std::string text;
  double x = 0;
};

// Layout of a plot. Positions are relative to the drawing's lower left corner.
struct PlotLayout {
  double width = kPlotWidth, height = 0;
  double left = 0, right = 0, bottom = 0, top = 0;  // edges of the area that the axes enclose
  Axis x, y;
  bool turned_labels = false;  // true: the labels of the x axis are vertical, because they do not fit side by side
  double y_label_y = 0, letters_y = 0, x_label_y = 0;
  std::vector<LegendLine> legend;    // empty if there are end labels
  std::vector<EndLabel> end_labels;  // LINES with at most kMaxEndLabels series
  std::vector<double> shift;         // sideways shift of each series, so that intervals at one x are apart
  std::vector<MarkLetters> letters;
};

inline constexpr int kMaxEndLabels = 4;
inline constexpr double kLabelSpacing = 15;  // minimum distance between the middles of two lines of text
inline constexpr double kSeriesShift = 11;   // shift between two series whose intervals would overlap

// Lays out a plot with two axes. Plots of other kinds (SHARE_BARS, RANKED_DOTS) have a row_layout.h.
PlotLayout LayOutPlot(const proto::Plot& plot);

// Return the position of a value in the drawing.
double PlaceX(const PlotLayout& layout, double x);
double PlaceY(const PlotLayout& layout, double y);

// Returns true if the x axis has names instead of numbers.
bool HasNamedTicks(const proto::Plot& plot);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PLOT_PLOT_LAYOUT_H_
