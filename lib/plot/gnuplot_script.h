// A plot as gnuplot commands, with its data inside.
#ifndef LOCKSTEP_LIB_PLOT_GNUPLOT_SCRIPT_H_
#define LOCKSTEP_LIB_PLOT_GNUPLOT_SCRIPT_H_

#include <string>

#include "lib/plot/plot_layout.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

enum class PlotFile { kSvg, kPdf };

// Returns the script that draws the plot to `output`. Pure function. Text is drawn literally (no markup). The title is
// not drawn, because the page uses it as the figure's caption. Scripts can be concatenated: each starts from gnuplot's
// defaults and ends its output.
std::string GnuplotScript(const proto::Plot& plot, const std::string& output, PlotFile file = PlotFile::kSvg);

// Returns the commands between `set output` and the end of the drawing, for any terminal that has the layout's shape.
std::string PlotCommands(const proto::Plot& plot, const PlotLayout& layout);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PLOT_GNUPLOT_SCRIPT_H_
