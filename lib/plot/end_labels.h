// Labels at the ends of lines, which a reader need not look up in a legend, and the sideways shift of series.
#ifndef LOCKSTEP_LIB_PLOT_END_LABELS_H_
#define LOCKSTEP_LIB_PLOT_END_LABELS_H_

#include "lib/plot/plot_layout.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns the width that the labels need to the right of the axes; 0 if the plot has no labels at its lines: if it is
// not of kind LINES, has one series or more than kMaxEndLabels, or a label is too long.
double EndLabelWidth(const proto::Plot& plot);

// Fills `layout.end_labels`. The axes, the positions of the area and the shift must be set.
void PlaceEndLabels(const proto::Plot& plot, PlotLayout& layout);

// Fills `layout.shift`: kSeriesShift between neighbours if the intervals of two series overlap at one x, and the ticks
// are far enough apart; otherwise 0.
void ShiftSeries(const proto::Plot& plot, PlotLayout& layout);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PLOT_END_LABELS_H_
