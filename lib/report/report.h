// The report stage: records in, what people hand in out.
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
  // STEM.html; an ending .html, .md, .tex, .csv, .json or .rec is left off to get STEM. Written are, as of the formats,
  //     STEM.html       one page, plots inside
  //     STEM.md         and for its plots STEM.PLOT.svg (STEM.epoch_time.svg, ...)
  //     STEM.tex        which reads its tables from STEM.TABLE.tex and its plots from STEM.PLOT.pdf
  //     STEM.csv        answers, cells and points
  //     STEM.json       header and sections of the record below
  //     STEM.rec        the same report as a record (lib/proto/report.proto); last, so that it marks a complete report
  // "-": the one page goes to standard output and nothing else is written.
  std::string output = "report.html";
  ReportFormats formats = {ReportFormat::kHtml, ReportFormat::kMarkdown};
  PageStyle style = PageStyle::kGiven;
  // Also STEM.audit.html, .md or .tex: the published tables under audit. Without it they are on no page.
  bool audit = false;
  bool force = false;
  bool dry_run = false;  // read the records and make the sections; draw and write nothing
};

// Reads the records, and writes the report unless one with the same cache key is there. Without gnuplot the report is
// made all the same, and says in the place of each plot how to install it.
//
// All files appear together: when one cannot be written (a full disk), the report before stays as it was. Plots and
// pieces of the page before that the new one does not show are removed.
//
// Says on stderr what it wrote and the verdict (verdict.h).
//
// InvalidArgument: no input, --output=- with several formats or an audit, an output named as a format that report does
// not write, or as LaTeX cannot read it, or as DeclareRunFiles. Unavailable: gnuplot was
// killed. Other errors as ReadLabRecords and RecordWriter.
absl::Status RunReport(const ReportOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_REPORT_H_
