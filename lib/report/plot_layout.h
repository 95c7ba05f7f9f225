// Where everything of a plot stands: axes, legend below, letters of the marks above. gnuplot_script.h writes it down.
//
// gnuplot's own legend covers points, and leaves out without a word what has no room. So the room is counted here.
#ifndef LOCKSTEP_LIB_REPORT_PLOT_LAYOUT_H_
#define LOCKSTEP_LIB_REPORT_PLOT_LAYOUT_H_

#include <string>
#include <vector>

#include "lib/proto/report.pb.h"
#include "lib/report/plot_axis.h"

namespace lockstep {

// Sizes are in the unit of the drawing: CSS pixels when it is shown as wide as this. A column of a phone is two thirds
// as wide, where labels of 15 are read as 10.
inline constexpr double kPlotWidth = 560;
inline constexpr double kPlotFont = 15;
inline constexpr double kSampleWidth = 30;  // of a legend's line or box
inline constexpr double kPlotEdge = 8;      // free at the drawing's edges
inline constexpr double kXLabelGap = 13;    // from the x axis to its labels
inline constexpr double kSampleGap = 7;     // between a sample and its text

// One line of the legend; its first one has the sample.
struct LegendLine {
  int series = -1;     // whose sample stands before it; -1: no sample
  std::string letter;  // of a mark, instead of a sample; empty: none
  std::string text;
  double x = 0;  // where the sample begins; the text stands to the right of it
  double y = 0;  // of the line's middle
};

// Letters over the line of a mark.
struct MarkLetters {
  std::string text;
  double x = 0;
};

// Places are from the drawing's lower left corner.
struct PlotLayout {
  double width = kPlotWidth, height = 0;
  double left = 0, right = 0, bottom = 0, top = 0;  // of the area that the axes enclose
  Axis x, y;
  bool turned_labels = false;  // those of the x axis stand upright: they have no room beside each other
  double y_label_y = 0, letters_y = 0, x_label_y = 0;
  std::vector<LegendLine> legend;
  std::vector<MarkLetters> letters;
};

PlotLayout LayOutPlot(const proto::Plot& plot);

// Whether its x axis has names instead of numbers.
bool HasNamedTicks(const proto::Plot& plot);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_PLOT_LAYOUT_H_
