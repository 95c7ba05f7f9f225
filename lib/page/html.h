// The report as one self-contained HTML page: style sheet and plots are inside; no script, nothing from a network.
#ifndef LOCKSTEP_LIB_PAGE_HTML_H_
#define LOCKSTEP_LIB_PAGE_HTML_H_

#include <string>
#include <vector>

#include "lib/page/render.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Renders a page for light and dark screens, for paper, for narrow windows (wide tables scroll), and for screen readers
// (captions, header cells, descriptions of plots). The provenance of a number is its cell's class, a superscript letter
// and, with the method, a tooltip. A blank cell links to the note that gives the reason.
std::string RenderHtml(const std::string& title, const std::vector<proto::Section>& sections, const DrawnPlots& plots);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_HTML_H_
