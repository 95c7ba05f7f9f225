// Names and legend of plots with one row per name.
#ifndef LOCKSTEP_LIB_PLOT_SVG_ROWS_H_
#define LOCKSTEP_LIB_PLOT_SVG_ROWS_H_

#include "lib/plot/row_layout.h"
#include "lib/plot/svg_writer.h"

namespace lockstep {

// Draws the names of the rows.
void DrawRowNames(const RowLayout& layout, SvgWriter& out);

// Draws the legend above the rows: coloured squares for parts of bars, markers for dots.
void DrawRowLegend(const proto::Plot& plot, const RowLayout& layout, SvgWriter& out);

// Returns the baseline of text whose middle is at `y`.
double Baseline(double y);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PLOT_SVG_ROWS_H_
