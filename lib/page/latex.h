// The report as a LaTeX document, and its tables as separate files to \input in another document.
#ifndef LOCKSTEP_LIB_PAGE_LATEX_H_
#define LOCKSTEP_LIB_PAGE_LATEX_H_

#include <string>
#include <vector>

#include "lib/page/latex_parts.h"
#include "lib/page/render.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// One table (latex_table.h) in a file of its own.
struct LatexPiece {
  std::string file;  // "report.table-1.tex"
  std::string text;
};

struct LatexReport {
  std::string document;
  std::vector<LatexPiece> pieces;
};

// Renders the report. The document reads its tables from STEM.NAME.tex in its own folder, where NAME is the table's id.
// If `stem` is empty, the tables are in the document, and there are no pieces. Plots are read from their files (PDF).
// pdflatex must run twice, because of the references; it prints no warning.
LatexReport RenderLatex(const LatexHead& head, const std::vector<proto::Section>& sections, const DrawnPlots& plots,
                        const std::string& stem);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_LATEX_H_
