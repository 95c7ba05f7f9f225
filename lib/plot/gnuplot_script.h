// A plot as gnuplot commands that draw it as PDF, with its data inside.
#ifndef LOCKSTEP_LIB_PLOT_GNUPLOT_SCRIPT_H_
#define LOCKSTEP_LIB_PLOT_GNUPLOT_SCRIPT_H_

#include <string>

#include "lib/plot/plot_layout.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns the script that draws the plot to `output`. Pure function. Text is drawn literally (no markup). The title is
// not drawn, because LaTeX uses it as the figure's caption. Scripts can be concatenated: each starts from gnuplot's
// defaults and ends its output.
std::string GnuplotScript(const proto::Plot& plot, const std::string& output);

// Returns the commands between `set output` and the end of the drawing, for any terminal that has the layout's shape.
std::string PlotCommands(const proto::Plot& plot, const PlotLayout& layout);

// Returns the plot in a form that gnuplot can draw: SHARE_BARS as stacked bars of per cent, RANKED_DOTS as DOTS in the
// order of the values, and LINES without small plots. Other plots are returned unchanged.
proto::Plot SimplerForm(const proto::Plot& plot);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PLOT_GNUPLOT_SCRIPT_H_
