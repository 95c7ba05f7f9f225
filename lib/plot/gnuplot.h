// Draws plots as PDF with gnuplot, for LaTeX. Pages have SVG, which needs no gnuplot (svg_plot.h).
//
// gnuplot runs as a child process with a script (gnuplot_script.h) in a memory file, and writes to a pipe of this
// process. The drawing depends only on the plot and on gnuplot's version: it contains no date and no path, and gnuplot
// does not read (and execute) a startup file (~/.gnuplot, ./.gnuplot, gnuplotrc).
#ifndef LOCKSTEP_LIB_PLOT_GNUPLOT_H_
#define LOCKSTEP_LIB_PLOT_GNUPLOT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/monotonic_time.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Time limit for all plots of a report together: ten times the time of 3,003 plots on two cores (README.md).
inline constexpr absl::Duration kDrawingTime = absl::Seconds(60);

// Session of the gnuplot process (ChildOptions::own_session).
enum class GnuplotSession { kOwn, kOfCaller };

// Returns gnuplot's version, such as "5.4.4". Errors:
// - NotFound: no gnuplot in PATH. The message tells how to install it.
// - Unavailable: gnuplot was killed (SIGKILL, which gnuplot never sends itself); the next try may succeed.
// - DeadlineExceeded: gnuplot did not answer and was ended.
// `session` must be kOfCaller if the parent process ends the whole session of this process, as the doctor does with its
// probes: the processes that gnuplot starts must then stay in that session.
absl::StatusOr<std::string> GnuplotVersion(GnuplotSession session = GnuplotSession::kOwn);

// Draws each plot as a complete PDF file of one page, without a date, with one process for many plots and at most one
// process per core. The pointers must not be null. Errors of a plot:
// - NotFound, Unavailable: as in GnuplotVersion.
// - Internal: gnuplot fails at this plot. The others are drawn without it.
// - DeadlineExceeded: gnuplot had not drawn the plot by `deadline`. It was ended, and no plot was tried again.
// - ResourceExhausted: gnuplot wrote more than a drawing can have. It was ended, and no plot was tried again.
std::vector<absl::StatusOr<std::string>> DrawPdfPlots(const std::vector<const proto::Plot*>& plots,
                                                      MonotonicTime deadline = MonotonicTime::Now() + kDrawingTime);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PLOT_GNUPLOT_H_
