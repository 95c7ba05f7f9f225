// The report stage: reads records and writes the pages that people hand in.
#ifndef LOCKSTEP_LIB_REPORT_REPORT_H_
#define LOCKSTEP_LIB_REPORT_REPORT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/report/arrange.h"
#include "lib/report/report_format.h"

namespace lockstep {

struct ReportOptions {
  std::vector<std::string> inputs;  // record files of any of the five kinds, in any order; "-": standard input
  // Path of the page. STEM is the path without its ending .html, .md, .tex, .csv, .json or .rec. According to the
  // formats, these files are written:
  //     STEM.html       one page, plots inside
  //     STEM.md         its plots are STEM.plots/PLOT.svg (STEM.plots/epoch_time.svg, ...)
  //     STEM.tex        reads its tables from STEM.TABLE.tex (kHandIn: has its tables) and its plots from
  //                     STEM.plots/PLOT.pdf
  //     STEM.csv        answers, cells and points
  //     STEM.json       header and sections of the record below
  //     STEM.rec        the same report as a record (lib/proto/report.proto); last, so that it marks a complete report
  // "-": the only page goes to standard output, and no file is written.
  std::string output = "report.html";
  ReportFormats formats = {ReportFormat::kHtml, ReportFormat::kMarkdown};
  LatexSize latex_size = LatexSize::kDocument;
  std::string author;  // author and date at the top of the LaTeX document, as they are printed; empty: left out
  std::string date;
  PageStyle style = PageStyle::kGiven;
  // True: also write STEM.audit.html, .md or .tex, the published tables under audit. False: they are on no page.
  bool audit = false;
  bool force = false;
  bool dry_run = false;  // read the records and make the sections, but draw and write nothing
};

// Reads the records, and writes the report unless a report with the same cache key exists. Without gnuplot a LaTeX
// report is still made, and each plot is replaced by instructions to install gnuplot. Prints on stderr which files it
// wrote, and the verdict (verdict.h).
//
// All files appear together: if one cannot be written (a full disk), the previous report stays as it was. Plots and
// pieces of the previous report that the new one does not show are removed.
//
// Errors:
// - InvalidArgument: no input; --output=- with several formats or an audit; an output with the ending of a format that
//   report does not write, or with a name that LaTeX cannot read; errors of DeclareRunFiles.
// - Unavailable: LaTeX only: gnuplot was killed.
// - Others: those of ReadLabRecords and RecordWriter.
absl::Status RunReport(const ReportOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_REPORT_H_
