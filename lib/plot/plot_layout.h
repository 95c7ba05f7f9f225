// Positions of all elements of a plot: the axes, the legend below, the letters of the marks above. gnuplot_script.h
// writes the commands for them.
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

// Sizes are in the unit of the drawing, a CSS pixel if the drawing is shown this wide. A column on a phone is two
// thirds as wide, so that labels of size 15 appear as size 10.
inline constexpr double kPlotWidth = 560;
inline constexpr double kPlotFont = 15;
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
  std::vector<LegendLine> legend;
  std::vector<MarkLetters> letters;
};

PlotLayout LayOutPlot(const proto::Plot& plot);

// Returns true if the x axis has names instead of numbers.
bool HasNamedTicks(const proto::Plot& plot);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PLOT_PLOT_LAYOUT_H_
