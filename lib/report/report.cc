#include "lib/report/report.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "lib/base/flag_values.h"
#include "lib/base/peak_memory.h"
#include "lib/base/print_text.h"
#include "lib/base/readable_line.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/stopwatch.h"
#include "lib/proto/report.pb.h"
#include "lib/record/other_result.h"
#include "lib/record/provenance.h"
#include "lib/record/readable_text.h"
#include "lib/record/record_writer.h"
#include "lib/record/run_files.h"
#include "lib/record/step_cache.h"
#include "lib/report/arrange.h"
#include "lib/report/claim.h"
#include "lib/report/gnuplot.h"
#include "lib/report/html.h"
#include "lib/report/lab_records.h"
#include "lib/report/markdown.h"
#include "lib/report/render.h"
#include "lib/report/report_files.h"
#include "lib/report/svg_element.h"
#include "lib/report/tables.h"
#include "lib/report/verdict.h"

namespace lockstep {
namespace {

struct Outputs {
  std::string html, markdown, record;
  std::string audit_html, audit_markdown;
  std::string stem;

  std::string Svg(const std::string& plot_id) const { return absl::StrCat(stem, ".", plot_id, ".svg"); }
};

Outputs OutputsOf(const std::string& output) {
  absl::string_view stem = output;
  for (const absl::string_view ending : {".html", ".md", ".rec"}) {
    if (absl::ConsumeSuffix(&stem, ending)) {
      break;
    }
  }
  return {absl::StrCat(stem, ".html"),       absl::StrCat(stem, ".md"),       absl::StrCat(stem, ".rec"),
          absl::StrCat(stem, ".audit.html"), absl::StrCat(stem, ".audit.md"), std::string(stem)};
}

const char* NameOf(ReportFormat format) {
  return format == ReportFormat::kHtml ? "html" : format == ReportFormat::kMarkdown ? "markdown" : "all";
}

// A page of this name would be taken for that format.
absl::Status CheckIsNoOtherFormat(const std::string& output) {
  for (const absl::string_view ending :
       {".pdf", ".tex", ".txt", ".csv", ".json", ".htm", ".svg", ".png", ".doc", ".docx"}) {
    if (absl::EndsWithIgnoreCase(output, ending)) {
      const absl::string_view stem = absl::string_view(output).substr(0, output.size() - ending.size());
      return absl::InvalidArgumentError(absl::StrCat("--output=", output, ": report writes no ", ending.substr(1),
                                                     "; expected ", stem, ".html, beside which ", stem, ".md and ",
                                                     stem, ".rec are written"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckOptions(const ReportOptions& options) {
  if (options.output == "-" && options.format == ReportFormat::kAll) {
    return absl::InvalidArgumentError("--output=- takes one page: add --format=html or --format=markdown");
  }
  if (options.output == "-" && options.audit) {
    return absl::InvalidArgumentError("--audit makes a page of its own, and --output=- takes one: name a file");
  }
  return CheckIsNoOtherFormat(options.output);
}

// Which plots there will be is known only once the records are read.
RunFiles FilesOf(const ReportOptions& options) {
  if (options.output == "-") {
    return {options.inputs, {{"--output", "-", ""}}};
  }
  const Outputs outputs = OutputsOf(options.output);
  RunFiles files = {options.inputs, {{"--output", outputs.record, ""}}};
  if (options.format != ReportFormat::kMarkdown) {
    files.outputs.push_back({"--output", outputs.html, ""});
    if (options.audit) {
      files.outputs.push_back({"--audit", outputs.audit_html, ""});
    }
  }
  if (options.format != ReportFormat::kHtml) {
    files.outputs.push_back({"--output", outputs.markdown, ""});
    files.outputs.push_back({"--output", absl::StrCat(outputs.stem, "."), ".svg"});
    if (options.audit) {
      files.outputs.push_back({"--audit", outputs.audit_markdown, ""});
    }
  }
  return files;
}

absl::StatusOr<proto::Header> HeaderOf(const LabRecords& lab, const ReportOptions& options) {
  const absl::StatusOr<std::string> gnuplot = GnuplotVersion();
  if (absl::IsUnavailable(gnuplot.status())) {
    return gnuplot.status();
  }
  HeaderOptions header;
  header.schema = "lockstep.proto.ReportFile";
  for (const RecordSource* source : lab.Sources()) {
    header.inputs.push_back(source->input);
  }
  header.result_flags = {{"format", NameOf(options.format)},
                         {"gnuplot", gnuplot.value_or("absent")},
                         {"style", options.style == PageStyle::kLab ? "lab" : "given"},
                         {"audit", options.audit ? "true" : "false"}};
  return MakeHeader(header);
}

ReportPages ReadablePages(const LabRecords& lab, const ReportOptions& options) {
  ReportPages pages = ArrangePages(lab, options.style);
  if (!options.audit) {
    pages.audit.clear();
  }
  for (std::vector<proto::Section>* sections : {&pages.page, &pages.audit}) {
    for (proto::Section& section : *sections) {
      MakeTextReadable(section);  // a file is named as it was given, in any bytes
    }
  }
  return pages;
}

// Drawing is most of the time, and nothing has been drawn.
absl::Status PrintPlan(const ReportOptions& options, const std::vector<proto::Section>& sections, double seconds) {
  return PrintToStderr(absl::StrFormat(
      "report: %s; records read in %.2g s with %d MB of memory; drawing %d plots: unknown, gnuplot was not asked\n"
      "dry run: %s not written\n",
      VerdictText(sections), seconds, PeakResidentBytes() / 1'000'000, CountPlots(sections),
      ReadableLine(options.output)));
}

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

std::vector<std::string> PagesOf(const Outputs& outputs, const ReportOptions& options) {
  std::vector<std::string> pages;
  const auto add = [&](const std::string& page, const std::string& audit) {
    pages.push_back(page);
    if (options.audit) {
      pages.push_back(audit);
    }
  };
  if (options.format != ReportFormat::kMarkdown) {
    add(outputs.html, outputs.audit_html);
  }
  if (options.format != ReportFormat::kHtml) {
    add(outputs.markdown, outputs.audit_markdown);
  }
  return pages;
}

bool AllThere(const Outputs& outputs, const ReportOptions& options) {
  const std::vector<std::string> pages = PagesOf(outputs, options);
  return std::all_of(pages.begin(), pages.end(), Exists);
}

// A plot that cannot be drawn is left out with the reason, once on standard error too; one that a second try may draw
// is an error, because a report without it would be taken for complete.
absl::StatusOr<DrawnPlots> DrawAll(const std::vector<proto::Section>& sections) {
  RETURN_IF_ERROR(CheckNotStopped());
  std::vector<const proto::Plot*> wanted;
  for (const proto::Section& section : sections) {
    for (const proto::Plot& plot : section.plot()) {
      wanted.push_back(&plot);
    }
  }
  std::vector<absl::StatusOr<std::string>> svgs = DrawPlots(wanted);
  DrawnPlots plots;
  std::string last_reason;
  for (size_t i = 0; i < svgs.size(); ++i) {
    const absl::Status& status = svgs[i].status();
    if (absl::IsUnavailable(status) || absl::IsCancelled(status)) {
      return status;
    }
    DrawnPlot& drawn = plots[wanted[i]->id()];
    if (status.ok()) {
      drawn.svg = *std::move(svgs[i]);
      continue;
    }
    drawn.absent_reason = std::string(status.message());
    if (drawn.absent_reason != last_reason) {
      std::fprintf(stderr, "report: %s\n", drawn.absent_reason.c_str());
      last_reason = drawn.absent_reason;
    }
  }
  return plots;
}

absl::Status AddMarkdown(const Outputs& outputs, const std::string& title, const std::vector<proto::Section>& sections,
                         DrawnPlots plots, ReportFiles& files) {
  for (auto& [id, plot] : plots) {
    if (!plot.svg.empty()) {
      const std::string path = outputs.Svg(id);
      RETURN_IF_ERROR(files.Add(path, StandaloneSvg(plot.svg)));
      plot.file = path.substr(path.rfind('/') + 1);
    }
  }
  return files.Add(outputs.markdown, RenderMarkdown(title, sections, plots));
}

absl::Status WriteSections(const std::vector<proto::Section>& sections, RecordWriter& record) {
  for (const proto::Section& section : sections) {
    proto::ReportRecord next;
    *next.mutable_section() = section;
    RETURN_IF_ERROR(record.Append(next));
  }
  return absl::OkStatus();
}

// The audit has no plots.
absl::Status AddAudit(const ReportOptions& options, const std::vector<proto::Section>& audit, ReportFiles& files) {
  const Outputs outputs = OutputsOf(options.output);
  constexpr char kTitle[] = "Published tables under audit";
  if (options.audit && options.format != ReportFormat::kHtml) {
    RETURN_IF_ERROR(files.Add(outputs.audit_markdown, RenderMarkdown(kTitle, audit, {})));
  }
  if (options.audit && options.format != ReportFormat::kMarkdown) {
    RETURN_IF_ERROR(files.Add(outputs.audit_html, RenderHtml(kTitle, audit, {})));
  }
  return absl::OkStatus();
}

// All that a full disk can hinder: nothing has its name yet.
absl::Status WriteAll(const ReportOptions& options, const proto::Header& header, const ReportPages& pages,
                      const std::string& title, const DrawnPlots& plots, ReportFiles& files, RecordWriter& record) {
  RETURN_IF_ERROR(record.Begin(header));
  const Outputs outputs = OutputsOf(options.output);
  if (options.format != ReportFormat::kHtml) {
    RETURN_IF_ERROR(AddMarkdown(outputs, title, pages.page, plots, files));
  }
  if (options.format != ReportFormat::kMarkdown) {
    RETURN_IF_ERROR(files.Add(outputs.html, RenderHtml(title, pages.page, plots)));
  }
  RETURN_IF_ERROR(AddAudit(options, pages.audit, files));
  RETURN_IF_ERROR(WriteSections(pages.page, record));
  RETURN_IF_ERROR(WriteSections(pages.audit, record));
  for (const proto::Input& file : files.descriptions()) {
    record.AddOutput(file);
  }
  return record.Seal();
}

// Plots that the page before showed and this one does not.
std::vector<std::string> StalePlots(const ReportOptions& options, const ReportFiles& files) {
  std::vector<std::string> stale;
  if (options.format == ReportFormat::kHtml) {
    return stale;  // the Markdown page stays, and its plots with it
  }
  for (std::string& plot : PlotsBeside(OutputsOf(options.output).stem)) {
    const auto& written = files.descriptions();
    if (std::none_of(written.begin(), written.end(), [&](const proto::Input& file) { return file.path() == plot; })) {
      stale.push_back(std::move(plot));
    }
  }
  return stale;
}

absl::Status PutInPlace(const ReportOptions& options, ReportFiles& files, RecordWriter& record) {
  const std::vector<std::string> stale = StalePlots(options, files);
  unlink(OutputsOf(options.output).record.c_str());  // until there is one again, the report is not complete
  for (const std::string& plot : stale) {
    unlink(plot.c_str());
  }
  RETURN_IF_ERROR(files.Commit());
  return record.Finish();
}

}  // namespace

absl::StatusOr<ReportFormat> ParseReportFormat(absl::string_view name) {
  for (const ReportFormat format : {ReportFormat::kHtml, ReportFormat::kMarkdown, ReportFormat::kAll}) {
    if (name == NameOf(format)) {
      return format;
    }
  }
  return CheckFlagWord("format", std::string(name), {"html", "markdown", "all"});
}

absl::Status RunReport(const ReportOptions& options) {
  const Stopwatch watch;
  RETURN_IF_ERROR(CheckOptions(options));
  RETURN_IF_ERROR(DeclareRunFiles(FilesOf(options)));
  ASSIGN_OR_RETURN(const LabRecords lab, ReadLabRecords(options.inputs));
  if (options.dry_run) {
    return PrintPlan(options, ReadablePages(lab, options).page, watch.Seconds());
  }
  ASSIGN_OR_RETURN(const proto::Header header, HeaderOf(lab, options));
  const Outputs outputs = OutputsOf(options.output);
  const bool to_stdout = options.output == "-";
  if (!to_stdout && !options.force) {
    if (AllThere(outputs, options) && IsCached(outputs.record, header)) {
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(CheckMayReplace(outputs.record, header, PagesOf(outputs, options)));
  }

  std::unique_ptr<RecordWriter> record;  // opened first, because its lock keeps other reports away, and completed last
  if (!to_stdout) {
    ASSIGN_OR_RETURN(record, RecordWriter::Reserve(outputs.record));
  }
  const ReportPages pages = ReadablePages(lab, options);
  const std::vector<proto::Section>& sections = pages.page;
  const std::string title = ReportTitle(lab);
  ASSIGN_OR_RETURN(const DrawnPlots plots, DrawAll(sections));
  if (to_stdout) {  // as text, so a terminal may show it
    return PrintToStdout(options.format == ReportFormat::kHtml ? RenderHtml(title, sections, plots)
                                                               : RenderMarkdown(title, sections, plots));
  }
  ReportFiles files;
  absl::Status status = WriteAll(options, header, pages, title, plots, files, *record);
  if (status.ok()) {
    status = PutInPlace(options, files, *record);
  }
  if (!status.ok()) {
    record->Discard();
    return status;
  }
  std::vector<std::string> written = PagesOf(outputs, options);
  written.push_back(outputs.record);
  std::fprintf(stderr, "report: %s\n",
               ReadableLine(absl::StrCat("wrote ", JoinAnd(written), ": ", VerdictText(sections))).c_str());
  return absl::OkStatus();
}

}  // namespace lockstep
