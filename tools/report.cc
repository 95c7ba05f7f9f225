// report: records -> what people hand in: one HTML page, Markdown, plots. And any record file as text.
//
//   report --input=sweep.rec,scale.rec --output=report.html    writes report.html, report.md, report.rec
//   report --print=sweep.rec --format=json                     shows a record file
#include <iostream>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/exit_status.h"
#include "lib/base/init_main.h"
#include "lib/base/status_macros.h"
#include "lib/report/print_record.h"
#include "lib/report/report.h"

ABSL_FLAG(std::vector<std::string>, input, {},
          "records of cifar_prep, train_sweep, scale_run, comm_model and quantize, in any order; each kind may be left out; "
          "- is standard input");
ABSL_FLAG(std::string, output, "report.html",
          "NAME.html: also written are NAME.md with its plots NAME.*.svg, and NAME.rec, the report as a record; - with "
          "--format=html or markdown is standard output");
ABSL_FLAG(std::string, format, "", "html, markdown or all (the default); with --print: text (the default) or json");
ABSL_FLAG(bool, force, false, "make the report again although one with the same cache key is there");
ABSL_FLAG(std::string, print, "", "show this record file, of any tool, on standard output; - is standard input");
ABSL_FLAG(bool, print_bytes, false, "with --print: show pixels and weights whole");

namespace {

absl::Status Print(const std::string& path, const std::string& format) {
  if (!absl::GetFlag(FLAGS_input).empty()) {
    return absl::InvalidArgumentError("--print and --input exclude each other; give one");
  }
  if (format != "" && format != "text" && format != "json") {
    return absl::InvalidArgumentError(absl::StrCat("--format=", format, ": --print expects text or json"));
  }
  lockstep::PrintOptions options;
  options.format = format == "json" ? lockstep::PrintFormat::kJson : lockstep::PrintFormat::kText;
  options.print_bytes = absl::GetFlag(FLAGS_print_bytes);
  return lockstep::PrintRecord(path, options, std::cout, std::cerr);
}

absl::Status Report(const std::string& format) {
  lockstep::ReportOptions options;
  options.inputs = absl::GetFlag(FLAGS_input);
  options.output = absl::GetFlag(FLAGS_output);
  options.force = absl::GetFlag(FLAGS_force);
  ASSIGN_OR_RETURN(options.format, lockstep::ParseReportFormat(format.empty() ? "all" : format));
  return lockstep::RunReport(options);
}

absl::Status Run(const std::vector<std::string>& arguments) {
  if (!arguments.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("unexpected argument ", arguments[0], "; records are given as --input=", arguments[0]));
  }
  const std::string print = absl::GetFlag(FLAGS_print);
  const std::string format = absl::GetFlag(FLAGS_format);
  return print.empty() ? Report(format) : Print(print, format);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments = lockstep::InitMain(
      {"report", "makes tables, answers and plots from records, as one HTML page and as Markdown; or prints a record file.",
       "report --input=dataset.rec,sweep.rec,scale.rec,comm_model.rec,quantized.rec --output=report.html"},
      argc, argv);
  return lockstep::ExitStatus("report", Run(arguments));
}
