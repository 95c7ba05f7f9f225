// The report as a LaTeX document of at most four pages, for a lab that asks for so many: title, author and date, the
// answers as short paragraphs, the worst warnings, Tables 1 to 3, the runs that the document names, four plots, and the
// commands. The full report is in latex.h.
#ifndef LOCKSTEP_LIB_PAGE_LATEX_HAND_IN_H_
#define LOCKSTEP_LIB_PAGE_LATEX_HAND_IN_H_

#include <string>
#include <vector>

#include "lib/page/latex_parts.h"
#include "lib/page/render.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns the plots of the hand-in, at most four: speed-up, time of an epoch, split of a step, large batches; then
// others in the order of the sections. Plots of a closed group are left out.
std::vector<const proto::Plot*> HandInPlots(const std::vector<proto::Section>& sections);

// Renders the document, in one file besides the plots. What would need more than four pages is cut, and the document
// says so: an answer after 520 bytes, the warnings after five kinds, a table after 12 rows, the commands after 12, one
// after 300 bytes. Tables have no notes on methods. Questions without an answer are one line.
//
// The document contains the target of each reference. Table 4 defines the runs that it names (hand_in_runs.h). A
// clause of an answer that names another part of the report is left out.
std::string RenderLatexHandIn(const LatexHead& head, const std::vector<proto::Section>& sections,
                              const DrawnPlots& plots);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_LATEX_HAND_IN_H_
