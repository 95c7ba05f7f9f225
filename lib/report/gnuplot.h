// Draws plots with gnuplot, as SVG that stands in an HTML page or in a file of its own, and as PDF.
//
// gnuplot runs as a child process with a script (gnuplot_script.h) in a memory file, and writes to this process's pipe.
// The drawing depends on the plot and on gnuplot's version only: it has no date and no path, and gnuplot reads no startup
// file (~/.gnuplot, ./.gnuplot, gnuplotrc), whose commands it would run.
#ifndef LOCKSTEP_LIB_REPORT_GNUPLOT_H_
#define LOCKSTEP_LIB_REPORT_GNUPLOT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/monotonic_time.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Time that gnuplot has for all plots of a report together: ten times what a page of 3,003 plots takes on two cores
// (README.md).
inline constexpr absl::Duration kDrawingTime = absl::Seconds(60);

// Returns gnuplot's version, such as "5.4.4". Errors:
// - NotFound: no gnuplot in PATH. The message says how to install it.
// - Unavailable: gnuplot was killed (SIGKILL, which gnuplot never sends itself); the next try may succeed.
// - DeadlineExceeded: gnuplot does not answer. It was ended.
// `own_session` is that of ChildOptions. It must be false in a process whose whole session is ended by the parent, as the
// doctor ends its probes: the processes that gnuplot starts must stay in that session.
absl::StatusOr<std::string> GnuplotVersion(bool own_session = true);

// Returns an <svg> element as svg_element.h describes it. Errors are those of DrawPlots.
absl::StatusOr<std::string> DrawPlot(const proto::Plot& plot);

// Draws each plot as DrawPlot does, with one process for many plots and at most one process per core. The pointers must
// not be null. Errors of a plot:
// - NotFound, Unavailable: as GnuplotVersion.
// - Internal: gnuplot fails at this plot. The others are drawn without it.
// - DeadlineExceeded: gnuplot had not drawn it by `deadline`. It was ended, and nothing was tried again.
// - ResourceExhausted: gnuplot wrote more than a drawing can be. It was ended, and nothing was tried again.
std::vector<absl::StatusOr<std::string>> DrawPlots(const std::vector<const proto::Plot*>& plots,
                                                   MonotonicTime deadline = MonotonicTime::Now() + kDrawingTime);

// The same as whole PDF files of one page, without a date.
std::vector<absl::StatusOr<std::string>> DrawPdfPlots(const std::vector<const proto::Plot*>& plots,
                                                      MonotonicTime deadline = MonotonicTime::Now() + kDrawingTime);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_GNUPLOT_H_
