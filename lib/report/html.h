// The report as one HTML page that needs nothing else: style and plots are inside, no script, nothing from a network.
#ifndef LOCKSTEP_LIB_REPORT_HTML_H_
#define LOCKSTEP_LIB_REPORT_HTML_H_

#include <string>
#include <vector>

#include "lib/proto/report.pb.h"
#include "lib/report/render.h"

namespace lockstep {

// Works on light and dark screens, on paper, on narrow windows (wide tables scroll), and read aloud (captions, header
// cells, descriptions of plots). A number's provenance is its cell's class, a superscript letter, and, with its method,
// a tooltip; a blank links to the note that gives the reason.
std::string RenderHtml(const std::string& title, const std::vector<proto::Section>& sections, const DrawnPlots& plots);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_HTML_H_
