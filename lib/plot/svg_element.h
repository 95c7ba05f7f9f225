// Prepares gnuplot's SVG for a page with other SVGs: unique ids, the page's text colour, a description for screen
// readers, and no unused parts.
#ifndef LOCKSTEP_LIB_PLOT_SVG_ELEMENT_H_
#define LOCKSTEP_LIB_PLOT_SVG_ELEMENT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns the documents that gnuplot wrote to one pipe, one after another.
std::vector<std::string> SplitSvgs(absl::string_view text);

// Returns an <svg> element made from gnuplot's document, with title and description of the plot, axes and text in the
// colour of the surrounding text (so that it works on light and dark pages), and ids that begin with the plot's id.
// Returns InternalError if the document is not an SVG of gnuplot.
absl::StatusOr<std::string> SvgElement(const std::string& document, const proto::Plot& plot);

// Returns the element as a separate file: dark on white, or light on dark if the reader's system asks for dark.
std::string StandaloneSvg(const std::string& element);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PLOT_SVG_ELEMENT_H_
