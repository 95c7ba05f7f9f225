// Draws plots as SVG, for an HTML page or a separate file. No other program takes part.
#ifndef LOCKSTEP_LIB_PLOT_SVG_PLOT_H_
#define LOCKSTEP_LIB_PLOT_SVG_PLOT_H_

#include <string>

#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns an <svg> element of class "plot", for a page with the style sheet lib/page/plot_style.h. Equal plots give
// equal bytes. The title is not drawn, because the page uses it as the figure's caption. Each point and each bar shows
// its values on hover. The element has no ids. Pure function.
std::string DrawSvg(const proto::Plot& plot);

// Returns the element as a separate file with its style sheet and background, which follow the reader's preference for
// light or dark.
std::string StandaloneSvg(const std::string& element);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PLOT_SVG_PLOT_H_
