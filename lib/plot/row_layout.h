// Layout of plots with one row per name: SHARE_BARS and RANKED_DOTS. Names are on the left, values on the right.
#ifndef LOCKSTEP_LIB_PLOT_ROW_LAYOUT_H_
#define LOCKSTEP_LIB_PLOT_ROW_LAYOUT_H_

#include <string>
#include <vector>

#include "lib/plot/plot_layout.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

struct PlotRow {
  int tick = 0;                    // index of the row's name
  std::vector<std::string> lines;  // the name, broken into lines
  double y = 0;                    // middle of the row
};

// Positions in the drawing; y grows downwards.
struct RowLayout {
  double height = 0;
  double left = 0, right = 0;  // ends of the bars, or of the axis; names end before `left`
  double top = 0, bottom = 0;  // ends of all rows together
  std::vector<PlotRow> rows;
  std::vector<LegendLine> legend;  // above the rows, if there are several series
};

// Space around the rows, in units of the drawing.
struct RowSpace {
  double value_width = 0;  // space for values to the right of the rows
  double above = 0;        // space between legend and rows
  double below = 0;        // space below the rows, for an axis
  double row_height = 0;   // height of a row whose name has one line
};

// Lays out the rows in the order of `ticks`.
RowLayout LayOutRows(const proto::Plot& plot, const std::vector<int>& ticks, const RowSpace& space);

// Returns the ticks in the order of the first series' values, from the largest to the smallest; names without a value
// come last.
std::vector<int> RankedTicks(const proto::Plot& plot);

// Returns the index of the point at this tick; -1 if there is none.
int PointAt(const proto::Series& series, int tick);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PLOT_ROW_LAYOUT_H_
