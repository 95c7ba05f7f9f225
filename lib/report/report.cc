#include "lib/report/report.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/log_line.h"
#include "lib/base/path.h"
#include "lib/base/peak_memory.h"
#include "lib/base/print_text.h"
#include "lib/base/readable_line.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/stopwatch.h"
#include "lib/lab_records/lab_records.h"
#include "lib/page/csv.h"
#include "lib/page/html.h"
#include "lib/page/json.h"
#include "lib/page/latex.h"
#include "lib/page/latex_hand_in.h"
#include "lib/page/latex_parts.h"
#include "lib/page/latex_text.h"
#include "lib/page/markdown.h"
#include "lib/page/render.h"
#include "lib/plot/gnuplot.h"
#include "lib/plot/svg_plot.h"
#include "lib/proto/report.pb.h"
#include "lib/record/provenance.h"
#include "lib/record/readable_text.h"
#include "lib/record/record_writer.h"
#include "lib/record/replace_rule.h"
#include "lib/record/run_files.h"
#include "lib/record/run_stage.h"
#include "lib/record/step_cache.h"
#include "lib/report/arrange.h"
#include "lib/report/prior_report.h"
#include "lib/report/report_files.h"
#include "lib/report/verdict.h"
#include "lib/summary/page_head.h"
#include "lib/wording/claim.h"

namespace lockstep {
namespace {

// Returns true for formats in which the audit is a separate page. CSV and JSON hold it together with the rest.
bool IsPage(ReportFormat format) { return format != ReportFormat::kCsv && format != ReportFormat::kJson; }

absl::Status CheckOptions(const ReportOptions& options) {
  if (options.output == "-" && options.formats.size() != 1) {
    return absl::InvalidArgumentError("--output=- takes one page: add --format=html or --format=markdown");
  }
  if (options.output == "-" && options.audit) {
    return absl::InvalidArgumentError("--audit makes a second page, and --output=- takes one page; name a file");
  }
  if (options.output != "-" && HasFormat(options.formats, ReportFormat::kLatex) &&
      !IsLatexFileName(FileNameOf(options.output))) {
    return absl::InvalidArgumentError(absl::StrCat("--output=", ReadableLine(options.output),
                                                   ": LaTeX reads files of letters, digits and ._+=- only; choose "
                                                   "such a name, e.g. report.tex"));
  }
  return CheckIsNoOtherFormat(options.output);
}

// Lists the output files. Plots are given as a pattern, because they are known only after the records are read.
RunFiles FilesOf(const ReportOptions& options, const std::string& record) {
  if (options.output == "-") {
    return {options.inputs, {{"--output", "-", ""}}};
  }
  const std::string stem = StemOfReport(options.output);
  RunFiles files = {options.inputs, {{"--output", record, "", options.output}}};
  for (const ReportFormat format : options.formats) {
    files.outputs.push_back({"--output", PageFile(stem, format), ""});
    // The LaTeX audit is included in STEM.*.tex below.
    if (options.audit && IsPage(format) && format != ReportFormat::kLatex) {
      files.outputs.push_back({"--audit", AuditFile(stem, format), ""});
    }
  }
  if (HasFormat(options.formats, ReportFormat::kMarkdown)) {
    files.outputs.push_back({"--output", PlotFolder(stem) + "/", ".svg"});
  }
  if (HasFormat(options.formats, ReportFormat::kLatex)) {
    files.outputs.push_back({"--output", PlotFolder(stem) + "/", ".pdf"});
    files.outputs.push_back({"--output", absl::StrCat(stem, "."), ".tex"});
  }
  return files;
}

absl::StatusOr<proto::Header> HeaderOf(const LabRecords& lab, const ReportOptions& options) {
  HeaderOptions header;
  header.schema = "lockstep.proto.ReportFile";
  for (const RecordSource* source : lab.Sources()) {
    header.inputs.push_back(source->input);
  }
  header.result_flags = {{"format", NameOfFormats(options.formats)},
                         {"style", options.style == PageStyle::kLab ? "lab" : "given"},
                         {"audit", options.audit ? "true" : "false"}};
  if (HasFormat(options.formats, ReportFormat::kLatex)) {
    header.result_flags["latex"] = options.latex_size == LatexSize::kHandIn ? "hand_in" : "document";
    header.result_flags["author"] = options.author;
    header.result_flags["date"] = options.date;
    // gnuplot draws the plots of LaTeX.
    const absl::StatusOr<std::string> gnuplot = GnuplotVersion();
    if (absl::IsUnavailable(gnuplot.status())) {
      return gnuplot.status();
    }
    header.result_flags["gnuplot"] = gnuplot.value_or("absent");
  }
  return MakeHeader(header);
}

ReportPages ReadablePages(const LabRecords& lab, const ReportOptions& options) {
  ReportPages pages = ArrangePages(lab, options.style);
  if (!options.audit) {
    pages.audit.clear();
  }
  for (std::vector<proto::Section>* sections : {&pages.page, &pages.audit}) {
    for (proto::Section& section : *sections) {
      MakeTextReadable(section);  // a file name is kept as given, and may hold any bytes
    }
  }
  return pages;
}

absl::Status PrintPlan(const ReportOptions& options, const std::vector<proto::Section>& sections, double seconds) {
  return PrintToStderr(
      absl::StrFormat("report: %s; records read in %.2g s with %d MB of memory; %d plots to draw\n"
                      "dry run: %s not written\n",
                      VerdictText(sections, CountPlots(sections)), seconds, PeakResidentBytes() / 1'000'000,
                      CountPlots(sections), ReadableLine(options.output)));
}

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

std::vector<std::string> PagesOf(const std::string& stem, const ReportOptions& options) {
  std::vector<std::string> pages;
  for (const ReportFormat format : options.formats) {
    pages.push_back(PageFile(stem, format));
    if (options.audit && IsPage(format)) {
      pages.push_back(AuditFile(stem, format));
    }
  }
  return pages;
}

bool AllThere(const std::string& stem, const ReportOptions& options) {
  const std::vector<std::string> pages = PagesOf(stem, options);
  return std::all_of(pages.begin(), pages.end(), Exists);
}

std::vector<const proto::Plot*> PlotsOf(const std::vector<proto::Section>& sections) {
  std::vector<const proto::Plot*> plots;
  for (const proto::Section& section : sections) {
    for (const proto::Plot& plot : section.plot()) {
      plots.push_back(&plot);
    }
  }
  return plots;
}

// Passes the i-th drawing, or the reason why it is missing, to `take`. A plot that cannot be drawn is omitted; the
// reason is added to `warnings` once. Returns an error if a second try may succeed, because a report without the plot
// would look complete.
template <typename Take>
absl::Status TakeDrawings(std::vector<absl::StatusOr<std::string>> drawings, Take take,
                          std::vector<std::string>& warnings) {
  for (size_t i = 0; i < drawings.size(); ++i) {
    const absl::Status& status = drawings[i].status();
    if (absl::IsUnavailable(status) || absl::IsCancelled(status)) {
      return status;
    }
    if (status.ok()) {
      RETURN_IF_ERROR(take(i, *std::move(drawings[i]), std::string()));
      continue;
    }
    const std::string reason(status.message());
    RETURN_IF_ERROR(take(i, std::string(), reason));
    if (std::find(warnings.begin(), warnings.end(), reason) == warnings.end()) {
      warnings.push_back(reason);
    }
  }
  return absl::OkStatus();
}

// Draws the plots of the pages that show SVG.
absl::StatusOr<DrawnPlots> DrawAll(const std::vector<proto::Section>& sections, const ReportFormats& formats) {
  DrawnPlots plots;
  if (HasFormat(formats, ReportFormat::kHtml) || HasFormat(formats, ReportFormat::kMarkdown)) {
    for (const proto::Plot* plot : PlotsOf(sections)) {
      RETURN_IF_ERROR(CheckNotStopped());
      plots[plot->id()] = {DrawSvg(*plot), "", ""};
    }
  }
  return plots;
}

absl::Status AddMarkdown(const std::string& stem, const std::string& title, const std::vector<proto::Section>& sections,
                         DrawnPlots plots, ReportFiles& files) {
  for (auto& [id, plot] : plots) {
    if (!plot.svg.empty()) {
      RETURN_IF_ERROR(files.Add(PlotFile(stem, id, ".svg"), StandaloneSvg(plot.svg)));
      plot.file = PlotFile(FileNameOf(stem), id, ".svg");
    }
  }
  return files.Add(PageFile(stem, ReportFormat::kMarkdown), RenderMarkdown(title, sections, plots));
}

LatexHead HeadOf(const ReportOptions& options, const std::string& title) {
  return {title, options.author, options.date};
}

// Adds the page PATH.tex, and its pieces in the same folder.
absl::Status AddLatexPage(const std::string& page, const LatexHead& head, const std::vector<proto::Section>& sections,
                          const DrawnPlots& plots, ReportFiles& files) {
  const std::string stem = StemOfReport(page);
  const LatexReport report = RenderLatex(head, sections, plots, FileNameOf(stem));
  for (const LatexPiece& piece : report.pieces) {
    RETURN_IF_ERROR(files.Add(SiblingPath(page, piece.file), piece.text));
  }
  return files.Add(page, report.document);
}

absl::Status AddLatex(const ReportOptions& options, const std::string& title,
                      const std::vector<proto::Section>& sections, ReportFiles& files,
                      std::vector<std::string>& warnings) {
  const std::string stem = StemOfReport(options.output);
  const bool hand_in = options.latex_size == LatexSize::kHandIn;
  const std::vector<const proto::Plot*> wanted = hand_in ? HandInPlots(sections) : PlotsOf(sections);
  DrawnPlots plots;
  const auto take = [&](size_t i, const std::string& pdf, const std::string& reason) {
    const std::string& id = wanted[i]->id();
    plots[id] = {"", pdf.empty() ? "" : PlotFile(FileNameOf(stem), id, ".pdf"), reason};
    return pdf.empty() ? absl::OkStatus() : files.Add(PlotFile(stem, id, ".pdf"), pdf);
  };
  RETURN_IF_ERROR(TakeDrawings(DrawPdfPlots(wanted), take, warnings));
  const std::string page = PageFile(stem, ReportFormat::kLatex);
  const LatexHead head = HeadOf(options, title);
  return hand_in ? files.Add(page, RenderLatexHandIn(head, sections, plots))
                 : AddLatexPage(page, head, sections, plots, files);
}

// Appends the sections, which are the same afterwards. They are swapped and not copied, because a section can have
// thousands of cells.
absl::Status WriteSections(std::vector<proto::Section>& sections, RecordWriter& record) {
  proto::ReportRecord next;
  for (proto::Section& section : sections) {
    next.mutable_section()->Swap(&section);
    const absl::Status status = record.Append(next);
    next.mutable_section()->Swap(&section);
    RETURN_IF_ERROR(status);
  }
  return absl::OkStatus();
}

// Returns all sections; `all` stores them if they must be copied.
const std::vector<proto::Section>& AllSections(const ReportPages& pages, std::vector<proto::Section>& all) {
  if (pages.audit.empty()) {
    return pages.page;
  }
  all = pages.page;
  all.insert(all.end(), pages.audit.begin(), pages.audit.end());
  return all;
}

// Returns the number of plots that are drawn in one of the formats: as SVG, in a page or a file, or as PDF.
uint64_t CountDrawn(const std::vector<proto::Section>& sections, const DrawnPlots& plots, const std::string& stem,
                    const ReportFiles& files) {
  uint64_t drawn = 0;
  for (const proto::Plot* plot : PlotsOf(sections)) {
    const auto svg = plots.find(plot->id());
    const std::string pdf = PlotFile(stem, plot->id(), ".pdf");
    const bool has_pdf = std::any_of(files.descriptions().begin(), files.descriptions().end(),
                                     [&](const proto::Input& file) { return file.path() == pdf; });
    drawn += has_pdf || (svg != plots.end() && !svg->second.svg.empty()) ? 1 : 0;
  }
  return drawn;
}

// Adds the audit's page, which has no plots.
absl::Status AddAudit(const std::string& stem, ReportFormat format, const std::vector<proto::Section>& audit,
                      ReportFiles& files) {
  constexpr char kTitle[] = "Published tables under audit";
  const std::string path = AuditFile(stem, format);
  return format == ReportFormat::kHtml       ? files.Add(path, RenderHtml(kTitle, audit, {}))
         : format == ReportFormat::kMarkdown ? files.Add(path, RenderMarkdown(kTitle, audit, {}))
                                             : AddLatexPage(path, {kTitle, "", ""}, audit, {}, files);
}

// Adds `pages` in one format, with the files that belong to it. Reasons why plots are missing are added to `warnings`.
absl::Status AddPage(const ReportOptions& options, ReportFormat format, const proto::Header& header,
                     const ReportPages& pages, const std::string& title, const DrawnPlots& plots, ReportFiles& files,
                     std::vector<std::string>& warnings) {
  const std::string stem = StemOfReport(options.output);
  const std::string path = PageFile(stem, format);
  std::vector<proto::Section> all;
  switch (format) {
    case ReportFormat::kHtml:
      return files.Add(path, RenderHtml(title, pages.page, plots));
    case ReportFormat::kMarkdown:
      return AddMarkdown(stem, title, pages.page, plots, files);
    case ReportFormat::kLatex:
      return AddLatex(options, title, pages.page, files, warnings);
    case ReportFormat::kCsv:
      return files.Add(path, RenderCsv(AllSections(pages, all)));
    case ReportFormat::kJson: {
      ASSIGN_OR_RETURN(const std::string json, RenderJson(header, AllSections(pages, all)));
      return files.Add(path, json);
    }
  }
  return absl::InternalError("a format without a name");
}

// Does everything that a full disk can prevent. No file has its name yet.
absl::Status WriteAll(const ReportOptions& options, const proto::Header& header, ReportPages& pages,
                      const std::string& title, const DrawnPlots& plots, const PriorReport& prior, ReportFiles& files,
                      RecordWriter& record, std::vector<std::string>& warnings) {
  RETURN_IF_ERROR(record.Begin(header));
  const std::string stem = StemOfReport(options.output);
  for (const ReportFormat format : options.formats) {
    RETURN_IF_ERROR(AddPage(options, format, header, pages, title, plots, files, warnings));
    if (options.audit && IsPage(format)) {
      RETURN_IF_ERROR(AddAudit(stem, format, pages.audit, files));
    }
  }
  RETURN_IF_ERROR(WriteSections(pages.page, record));
  RETURN_IF_ERROR(WriteSections(pages.audit, record));
  for (const proto::Input& file : files.descriptions()) {
    record.AddOutput(file);
  }
  for (const proto::Input& file : FindUnwrittenFiles(stem, options.formats, prior, files.descriptions()).kept) {
    record.AddOutput(file);
  }
  return record.Seal();
}

absl::Status PutInPlace(const ReportOptions& options, const PriorReport& prior, ReportFiles& files,
                        RecordWriter& record) {
  const std::string stem = StemOfReport(options.output);
  const UnwrittenFiles unwritten = FindUnwrittenFiles(stem, options.formats, prior, files.descriptions());
  RETURN_IF_ERROR(record.RemoveReplaced());  // the report is incomplete until there is a record again
  for (const proto::Input& file : unwritten.stale) {
    unlink(file.path().c_str());
  }
  RETURN_IF_ERROR(files.Commit());
  rmdir(PlotFolder(stem).c_str());  // fails unless the folder is empty
  return record.Finish();
}

absl::Status PrintPage(const ReportOptions& options, const proto::Header& header, const ReportPages& pages,
                       const std::string& title, const DrawnPlots& plots) {
  switch (options.formats.front()) {
    case ReportFormat::kHtml:
      return PrintToStdout(RenderHtml(title, pages.page, plots));
    case ReportFormat::kMarkdown:
      return PrintToStdout(RenderMarkdown(title, pages.page, plots));
    case ReportFormat::kLatex:
      return PrintToStdout(options.latex_size == LatexSize::kHandIn
                               ? RenderLatexHandIn(HeadOf(options, title), pages.page, {})
                               : RenderLatex(HeadOf(options, title), pages.page, {}, "").document);
    case ReportFormat::kCsv:
      return PrintToStdout(RenderCsv(pages.page));
    case ReportFormat::kJson: {
      ASSIGN_OR_RETURN(const std::string json, RenderJson(header, pages.page));
      return PrintToStdout(json);
    }
  }
  return absl::InternalError("a format without a name");
}

// Prints the report as text, because stdout may be a terminal. Writes no record.
absl::Status PrintReport(const ReportOptions& options, const LabRecords& lab) {
  ASSIGN_OR_RETURN(const proto::Header header, HeaderOf(lab, options));
  const ReportPages pages = ReadablePages(lab, options);
  ASSIGN_OR_RETURN(const DrawnPlots plots, DrawAll(pages.page, options.formats));
  return PrintPage(options, header, pages, ReportTitle(lab), plots);
}

// Writes the report's files, and its record last. The record's lock keeps other reports out meanwhile.
absl::Status WriteReport(const ReportOptions& options, const LabRecords& lab, const proto::Header& header,
                         const std::string& record_file, RecordWriter& record) {
  const std::string stem = StemOfReport(options.output);
  const PriorReport prior = ReadPriorReport(stem, record_file);
  ReportPages pages = ReadablePages(lab, options);
  const std::vector<proto::Section>& sections = pages.page;
  const std::string title = ReportTitle(lab);
  ASSIGN_OR_RETURN(const DrawnPlots plots, DrawAll(sections, options.formats));
  ReportFiles files(
      ReplaceIfForced(ToForce(options.force), record.replaces_own() ? ReplacePriorFiles(prior) : ReplaceNothing()));
  std::vector<std::string> warnings;
  RETURN_IF_ERROR(WriteAll(options, header, pages, title, plots, prior, files, record, warnings));
  RETURN_IF_ERROR(PutInPlace(options, prior, files, record));
  std::vector<std::string> written = PagesOf(stem, options);
  written.push_back(record_file);
  LogLine(absl::StrCat("report: wrote ", JoinAnd(written), ": ",
                       VerdictText(sections, CountDrawn(sections, plots, stem, files))));
  for (const std::string& warning : warnings) {
    LogWarning(absl::StrCat("report: ", warning));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RunReport(const ReportOptions& options) {
  const Stopwatch watch;
  RETURN_IF_ERROR(CheckOptions(options));
  const std::string record = ReportRecordFile(options.output, options.inputs);
  RETURN_IF_ERROR(DeclareRunFiles(FilesOf(options, record)));
  ASSIGN_OR_RETURN(const LabRecords lab, ReadLabRecords(options.inputs));
  if (options.output == "-" && !options.dry_run) {
    return PrintReport(options, lab);
  }
  const std::string stem = StemOfReport(options.output);
  StageRun run;
  run.output.record = record;
  run.output.other_outputs = PagesOf(stem, options);
  run.output.rule = [&](const proto::Header& header) { return ReplaceSameReport(header, run.output.other_outputs); };
  run.output.force = options.force;
  run.dry_run = options.dry_run;
  run.print_plan = [&] { return PrintPlan(options, ReadablePages(lab, options).page, watch.Seconds()); };
  run.make_header = [&] { return HeaderOf(lab, options); };
  run.is_cached = [&](const proto::Header& header) { return AllThere(stem, options) && IsCached(record, header); };
  run.write = [&](const proto::Header& header, StageOutput& output) {
    return WriteReport(options, lab, header, record, *output.writer);
  };
  return RunStage(run);
}

}  // namespace lockstep
