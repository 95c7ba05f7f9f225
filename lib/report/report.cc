#include "lib/report/report.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/proto/report.pb.h"
#include "lib/record/output_file.h"
#include "lib/record/provenance.h"
#include "lib/record/record_writer.h"
#include "lib/record/step_cache.h"
#include "lib/report/gnuplot.h"
#include "lib/report/html.h"
#include "lib/report/lab_records.h"
#include "lib/report/markdown.h"
#include "lib/report/render.h"
#include "lib/report/tables.h"
#include "lib/report/text_file.h"

namespace lockstep {
namespace {

struct Outputs {
  std::string html, markdown, record;
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
  return {absl::StrCat(stem, ".html"), absl::StrCat(stem, ".md"), absl::StrCat(stem, ".rec"), std::string(stem)};
}

const char* NameOf(ReportFormat format) {
  return format == ReportFormat::kHtml ? "html" : format == ReportFormat::kMarkdown ? "markdown" : "all";
}

bool SameFile(const std::string& a, const std::string& b) {
  struct stat first, second;
  return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

absl::Status CheckOptions(const ReportOptions& options) {
  if (options.output == "-") {
    return options.format == ReportFormat::kAll
               ? absl::InvalidArgumentError("--output=- takes one page: add --format=html or --format=markdown")
               : absl::OkStatus();
  }
  const Outputs outputs = OutputsOf(options.output);
  for (const std::string& input : options.inputs) {
    for (const std::string& output : {outputs.html, outputs.markdown, outputs.record}) {
      if (SameFile(input, output)) {
        return absl::InvalidArgumentError(absl::StrCat("--output=", options.output, " would replace the input ", input,
                                                       " by ", output, "; give the report another name"));
      }
    }
  }
  return absl::OkStatus();
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
  header.result_flags = {{"format", NameOf(options.format)}, {"gnuplot", gnuplot.value_or("absent")}};
  return MakeHeader(header);
}

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

bool AllThere(const Outputs& outputs, ReportFormat format) {
  return (format == ReportFormat::kMarkdown || Exists(outputs.html)) &&
         (format == ReportFormat::kHtml || Exists(outputs.markdown));
}

// A plot that cannot be drawn is left out with the reason, once on standard error too; one that a second try may draw
// is an error, because a report without it would be taken for complete.
absl::StatusOr<DrawnPlots> DrawPlots(const std::vector<proto::Section>& sections) {
  DrawnPlots plots;
  std::string last_reason;
  for (const proto::Section& section : sections) {
    for (const proto::Plot& plot : section.plot()) {
      RETURN_IF_ERROR(CheckNotStopped());
      absl::StatusOr<std::string> svg = DrawPlot(plot);
      if (absl::IsUnavailable(svg.status())) {
        return svg.status();
      }
      DrawnPlot& drawn = plots[plot.id()];
      if (svg.ok()) {
        drawn.svg = *std::move(svg);
        continue;
      }
      drawn.absent_reason = std::string(svg.status().message());
      if (drawn.absent_reason != last_reason) {
        std::fprintf(stderr, "report: %s\n", drawn.absent_reason.c_str());
        last_reason = drawn.absent_reason;
      }
    }
  }
  return plots;
}

// As text, so a terminal may show it.
absl::Status WriteToStdout(const std::string& page) {
  errno = 0;
  const bool written = std::fwrite(page.data(), 1, page.size(), stdout) == page.size() && std::fflush(stdout) == 0;
  return written ? absl::OkStatus() : WriteError("standard output: writing the report failed", errno);
}

absl::Status WriteAndName(const std::string& path, const std::string& text, RecordWriter& record) {
  ASSIGN_OR_RETURN(const proto::Input file, WriteTextFile(path, text));
  record.AddOutput(file);
  return absl::OkStatus();
}

absl::Status WriteMarkdown(const Outputs& outputs, const std::string& title,
                           const std::vector<proto::Section>& sections, DrawnPlots plots, RecordWriter& record) {
  for (auto& [id, plot] : plots) {
    if (!plot.svg.empty()) {
      const std::string path = outputs.Svg(id);
      RETURN_IF_ERROR(WriteAndName(path, StandaloneSvg(plot.svg), record));
      plot.file = path.substr(path.rfind('/') + 1);
    }
  }
  return WriteAndName(outputs.markdown, RenderMarkdown(title, sections, plots), record);
}

absl::Status WriteSections(const std::vector<proto::Section>& sections, RecordWriter& record) {
  for (const proto::Section& section : sections) {
    proto::ReportRecord next;
    *next.mutable_section() = section;
    RETURN_IF_ERROR(record.Append(next));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ReportFormat> ParseReportFormat(absl::string_view name) {
  for (const ReportFormat format : {ReportFormat::kHtml, ReportFormat::kMarkdown, ReportFormat::kAll}) {
    if (name == NameOf(format)) {
      return format;
    }
  }
  return absl::InvalidArgumentError(absl::StrCat("--format=", name, ": expected html, markdown or all"));
}

absl::Status RunReport(const ReportOptions& options) {
  RETURN_IF_ERROR(CheckOptions(options));
  ASSIGN_OR_RETURN(const LabRecords lab, ReadLabRecords(options.inputs));
  ASSIGN_OR_RETURN(const proto::Header header, HeaderOf(lab, options));
  const Outputs outputs = OutputsOf(options.output);
  const bool to_stdout = options.output == "-";
  if (!to_stdout && !options.force && AllThere(outputs, options.format) && IsCached(outputs.record, header)) {
    return absl::OkStatus();
  }

  const std::vector<proto::Section> sections = BuildSections(lab);
  const std::string title = ReportTitle(lab);
  ASSIGN_OR_RETURN(const DrawnPlots plots, DrawPlots(sections));
  if (to_stdout) {
    return WriteToStdout(options.format == ReportFormat::kHtml ? RenderHtml(title, sections, plots)
                                                               : RenderMarkdown(title, sections, plots));
  }
  // The record is opened first, because its lock keeps other reports away, and completed last.
  ASSIGN_OR_RETURN(const std::unique_ptr<RecordWriter> record, RecordWriter::Create(outputs.record, header));
  unlink(outputs.record.c_str());  // from here until it is written again, the report is not complete
  if (options.format != ReportFormat::kHtml) {
    RETURN_IF_ERROR(WriteMarkdown(outputs, title, sections, plots, *record));
  }
  if (options.format != ReportFormat::kMarkdown) {
    RETURN_IF_ERROR(WriteAndName(outputs.html, RenderHtml(title, sections, plots), *record));
  }
  RETURN_IF_ERROR(WriteSections(sections, *record));
  return record->Finish();
}

}  // namespace lockstep
