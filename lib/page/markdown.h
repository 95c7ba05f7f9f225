// The report as one Markdown page (CommonMark with GitHub's tables), readable as plain text too.
#ifndef LOCKSTEP_LIB_PAGE_MARKDOWN_H_
#define LOCKSTEP_LIB_PAGE_MARKDOWN_H_

#include <string>
#include <vector>

#include "lib/page/render.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Renders the page. A superscript letter gives a number's provenance (the legend is at the top): in the column heading
// if all numbers of the column share it, else after the number. A blank cell shows a dash and the number of the note
// below its table that gives the reason. Plots are shown from their files.
std::string RenderMarkdown(const std::string& title, const std::vector<proto::Section>& sections,
                           const DrawnPlots& plots);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_MARKDOWN_H_
