// Figures of the HTML report.
#ifndef LOCKSTEP_LIB_PAGE_HTML_FIGURES_H_
#define LOCKSTEP_LIB_PAGE_HTML_FIGURES_H_

#include <map>
#include <string>

#include "lib/page/render.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Questions and verdicts by the id of the figure that shows them: the finding that a figure has below its title.
using Findings = std::map<std::string, const proto::SummaryCard*>;

// Returns the answered cards of `summary` by the targets of their links. `summary` must outlive the result.
Findings FindingsOf(const proto::Summary& summary);

// Appends the plots of a section as a grid. Plots with a common heading are behind this heading, closed.
void AppendFigures(const proto::Section& section, const DrawnPlots& plots, const Findings& findings, std::string& out);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_HTML_FIGURES_H_
