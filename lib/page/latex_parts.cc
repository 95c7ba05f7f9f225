#include "lib/page/latex_parts.h"

#include "absl/strings/str_cat.h"
#include "lib/page/latex_text.h"

namespace lockstep {
namespace {

// Words are wrapped loosely rather than extend beyond the margin, and a page may end after any table.
constexpr char kPreamble[] =
    "% Made by report. Twice: pdflatex, for the references.\n"
    "\\documentclass[a4paper,10pt]{article}\n"
    "\\usepackage[T1]{fontenc}\n"
    "\\IfFileExists{lmodern.sty}{\\usepackage{lmodern}}{}\n"
    "\\usepackage[margin=2cm]{geometry}\n"
    "\\usepackage{array,booktabs,graphicx}\n"
    "\\setlength{\\parindent}{0pt}\\setlength{\\parskip}{4pt plus 2pt}\n"
    "\\setlength{\\emergencystretch}{\\textwidth}\\hbadness=10000 \\vbadness=10000 \\raggedbottom\n"
    "\\setcounter{secnumdepth}{0}\n"
    "\\pagestyle{plain}\n"
    "\\begin{document}\n";

}  // namespace

std::string LatexBegin(const LatexHead& head) {
  std::string text = absl::StrCat(kPreamble, "{\\LARGE\\bfseries\\raggedright ", EscapeLatex(head.title), "\\par}\n");
  if (!head.author.empty() || !head.date.empty()) {
    absl::StrAppend(&text, "{\\large ", EscapeLatex(head.author), "\\hfill{}", EscapeLatex(head.date), "\\par}\n");
  }
  return text;
}

std::string LatexPlot(const proto::Plot& plot, const DrawnPlots& plots, double width) {
  const auto drawn = plots.find(plot.id());
  if (drawn == plots.end() || drawn->second.file.empty()) {
    const bool reason = drawn != plots.end() && !drawn->second.absent_reason.empty();
    return absl::StrCat("\\emph{", EscapeLatex(plot.title()), ": ",
                        reason ? EscapeLatex(drawn->second.absent_reason) : "drawn in files only", ".}\n");
  }
  return absl::StrCat("\\begin{minipage}{", width,
                      "\\linewidth}\n\\makeatletter\\def\\@captype{figure}\\makeatother\n"
                      "\\centering\n\\includegraphics[width=",
                      width < 1 ? "" : "0.72", "\\linewidth]{", drawn->second.file, "}\n\\caption{",
                      EscapeLatex(plot.title()), "}\n\\label{fig:", LatexName(plot.id()), "}\n\\end{minipage}\n");
}

}  // namespace lockstep
