// Draws plots with gnuplot, as SVG that stands in an HTML page or in a file of its own, and as PDF.
//
// gnuplot runs as a child process with a script (gnuplot_script.h) in a temporary file, and writes to this process's pipe. What
// it writes depends on the plot and on gnuplot's version only: no date, no path.
#ifndef LOCKSTEP_LIB_REPORT_GNUPLOT_H_
#define LOCKSTEP_LIB_REPORT_GNUPLOT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// "5.4.4". NotFound when there is no gnuplot in PATH: the message says how to install it. Unavailable when it was
// killed (SIGKILL, which is never its own doing): the next try may do better.
absl::StatusOr<std::string> GnuplotVersion();

// An <svg> element as of svg_element.h. NotFound and Unavailable as GnuplotVersion; Internal when gnuplot fails.
absl::StatusOr<std::string> DrawPlot(const proto::Plot& plot);

// Each as DrawPlot, by one process for many, and one for each core at most. Not null.
std::vector<absl::StatusOr<std::string>> DrawPlots(const std::vector<const proto::Plot*>& plots);

// The same as whole PDF files of one page, without a date.
std::vector<absl::StatusOr<std::string>> DrawPdfPlots(const std::vector<const proto::Plot*>& plots);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_GNUPLOT_H_
