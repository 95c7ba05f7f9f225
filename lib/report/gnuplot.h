// Draws plots with gnuplot, as SVG that stands in an HTML page or in a file of its own.
//
// gnuplot runs as a child process with a script and data in a temporary file, and writes to this process's pipe. What
// it writes depends on the plot and on gnuplot's version only: no date, no path.
#ifndef LOCKSTEP_LIB_REPORT_GNUPLOT_H_
#define LOCKSTEP_LIB_REPORT_GNUPLOT_H_

#include <string>

#include "absl/status/statusor.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// The script that draws this plot to `output`, its data inside. Pure, for tests. Text is taken as it is (no markup).
// The title is not drawn: the page sets it as the figure's caption.
std::string GnuplotScript(const proto::Plot& plot, const std::string& output);

// "5.4.4". NotFound when there is no gnuplot in PATH: the message says how to install it. Unavailable when it was
// killed (SIGKILL, which is never its own doing): the next try may do better.
absl::StatusOr<std::string> GnuplotVersion();

// An <svg> element: title and description for those who cannot see it, axes and text in the colour of the surrounding
// text (so that it works on light and dark pages), ids that begin with the plot's own. NotFound and
// Unavailable as GnuplotVersion; Internal when gnuplot fails.
absl::StatusOr<std::string> DrawPlot(const proto::Plot& plot);

// The same element as a file of its own, on a white ground.
std::string StandaloneSvg(const std::string& svg);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_GNUPLOT_H_
