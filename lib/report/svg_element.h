// What gnuplot wrote as SVG, made fit to stand in a page beside others: ids of its own, the page's text colour, words
// for those who cannot see it, and nothing that is not used.
#ifndef LOCKSTEP_LIB_REPORT_SVG_ELEMENT_H_
#define LOCKSTEP_LIB_REPORT_SVG_ELEMENT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Several documents, one after another, as gnuplot writes them to one pipe.
std::vector<std::string> SplitSvgs(absl::string_view text);

// An <svg> element of gnuplot's document: title and description of the plot, axes and text in the colour of the
// surrounding text (so that it works on light and dark pages), ids that begin with the plot's own. Internal: it is no SVG of gnuplot's.
absl::StatusOr<std::string> SvgElement(const std::string& document, const proto::Plot& plot);

// The element as a file of its own: dark on white, or light on dark where the reader's system asks for dark.
std::string StandaloneSvg(const std::string& element);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_SVG_ELEMENT_H_
