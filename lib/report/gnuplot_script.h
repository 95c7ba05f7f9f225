// A plot as commands of gnuplot, its data inside.
#ifndef LOCKSTEP_LIB_REPORT_GNUPLOT_SCRIPT_H_
#define LOCKSTEP_LIB_REPORT_GNUPLOT_SCRIPT_H_

#include <string>

#include "lib/proto/report.pb.h"
#include "lib/report/plot_layout.h"

namespace lockstep {

enum class PlotFile { kSvg, kPdf };

// Draws this plot to `output`. Pure. Text is taken as it is (no markup). The title is not drawn: the page sets
// it as the figure's caption. Scripts can follow each other: each begins with gnuplot's defaults and ends its output.
std::string GnuplotScript(const proto::Plot& plot, const std::string& output, PlotFile file = PlotFile::kSvg);

// The commands between `set output` and the end of the drawing, for any terminal whose shape is the layout's.
std::string PlotCommands(const proto::Plot& plot, const PlotLayout& layout);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_GNUPLOT_SCRIPT_H_
