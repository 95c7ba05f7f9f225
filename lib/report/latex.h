// The report as a LaTeX document, and its tables as pieces to \input in another one.
#ifndef LOCKSTEP_LIB_REPORT_LATEX_H_
#define LOCKSTEP_LIB_REPORT_LATEX_H_

#include <string>
#include <vector>

#include "lib/proto/report.pb.h"
#include "lib/report/render.h"

namespace lockstep {

// One table (latex_table.h).
struct LatexPiece {
  std::string file;  // "report.table-1.tex"
  std::string text;
};

struct LatexReport {
  std::string document;
  std::vector<LatexPiece> pieces;
};

// `stem`: the document reads its tables from STEM.NAME.tex in its own folder, where NAME is the table's id; empty: they
// stand in the document, and there are no pieces. Plots are read from their files (PDF). pdflatex has to run twice, for
// the references; it warns of nothing.
LatexReport RenderLatex(const std::string& title, const std::vector<proto::Section>& sections, const DrawnPlots& plots,
                        const std::string& stem);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_LATEX_H_
