// Parts that both LaTeX documents share: the full report (latex.h) and the hand-in (latex_hand_in.h).
#ifndef LOCKSTEP_LIB_PAGE_LATEX_PARTS_H_
#define LOCKSTEP_LIB_PAGE_LATEX_PARTS_H_

#include <string>

#include "lib/page/render.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Text at the top of a document.
struct LatexHead {
  std::string title;
  std::string author;  // empty: no author
  std::string date;    // text of the date; empty: no date
};

// Returns the document up to and including the head. The text is set in 10 pt on A4.
std::string LatexBegin(const LatexHead& head);

// Returns a plot with its caption and the label fig:ID, read from its file (PDF). `width` is its share of the line. If
// the plot was not drawn, returns the reason.
std::string LatexPlot(const proto::Plot& plot, const DrawnPlots& plots, double width);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_LATEX_PARTS_H_
