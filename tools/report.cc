// report: makes a hand-in from records, prints a record file, checks numbers, or compares two runs. The stages are
// lib/report/report.h, lib/lab_records/print_record.h, lib/checks/check.h and lib/comparison/run_compare.h.
#include "lib/report/report.h"

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/flag_values.h"
#include "lib/base/flag_words.h"
#include "lib/base/given_flags.h"
#include "lib/base/init_main.h"
#include "lib/base/log_line.h"
#include "lib/base/print_text.h"
#include "lib/base/run_tool.h"
#include "lib/base/status_macros.h"
#include "lib/checks/check.h"
#include "lib/checks/class_page.h"
#include "lib/comparison/comparison_page.h"
#include "lib/comparison/run_compare.h"
#include "lib/comparison/slowdown.h"
#include "lib/export/event_files.h"
#include "lib/export/mllog.h"
#include "lib/export/prometheus.h"
#include "lib/export/step_trace.h"
#include "lib/export/wandb_csv.h"
#include "lib/lab_records/convert_record.h"
#include "lib/lab_records/print_record.h"
#include "lib/report/named_records.h"
#include "lib/report/report_format.h"

ABSL_FLAG(std::vector<std::string>, input, {},
          "Records of cifar_prep, train_sweep, scale_run, comm_model and quantize, or their JSON, in any order; any "
          "kind may be missing or occur several times. A folder stands for the records in it, a pattern such as "
          "'lab/*.rec' for its matches; '-': standard input. Arguments without a flag are inputs, too.");
ABSL_FLAG(
    std::string, output, "report.html",
    "NAME.html: the page; NAME.md with its plots NAME.plots/*.svg, and NAME.rec, the report as a record, are written "
    "next to it (NAME.report.rec if NAME.rec is an input). NAME.tex, NAME.csv or NAME.json: this format instead. '-' "
    "with one --format: standard output.");
ABSL_FLAG(
    std::string, format, "",
    "html, markdown, latex (a document, a file per table, plots as PDF), csv, json, several of these, or all; "
    "default: html,markdown. With --print: text (default) or json. With --class_folder: html. With --compare: html, "
    "markdown, json.");
FLAG_WORDS(format, "html", "markdown", "latex", "csv", "json", "all", "text");
ABSL_FLAG(std::string, style, "given",
          "given: the contents of the records; lab: every question and table of the lab, blank ones with the command "
          "that fills them.");
FLAG_WORDS(style, "given", "lab");
ABSL_FLAG(std::string, latex, "document",
          "Size of the LaTeX document: document (everything), or hand_in (at most four pages: answers, warnings, "
          "Tables 1 to 3, runs, four plots, commands).");
FLAG_WORDS(latex, "document", "hand_in");
ABSL_FLAG(std::string, author, "", "Author at the top of the LaTeX document.");
ABSL_FLAG(std::string, date, "", "Date at the top of the LaTeX document, as it is printed.");
ABSL_FLAG(bool, audit, false,
          "Also write NAME.audit.html and NAME.audit.md: the published tables that comm_model audited.");
ABSL_FLAG(bool, force, false, "Write the report again even if it exists already, and replace any file at the output.");
ABSL_FLAG(bool, dry_run, false,
          "Read the records, print the report's contents and the time and memory used; write nothing.");
ABSL_FLAG(std::string, print, "",
          "Show this record file, of any tool, as text on standard output; '-': standard input.");
ABSL_FLAG(std::string, convert, "",
          "Write this record file as JSON (--output=NAME.json), or this JSON as the record file (--output=NAME.rec).");
ABSL_FLAG(bool, print_bytes, false, "With --print: show pixels and weights in full instead of their digest.");

ABSL_FLAG(bool, check, false,
          "Check the numbers of --input against named rules and write no report; exit 4 if a rule is broken. "
          "NAME.csv, .tsv, .md, .tex, .txt and .textproto are published tables (data/published/README.md).");
ABSL_FLAG(std::vector<std::string>, compare, {},
          "Compare two records of train_sweep or scale_run, before,after: each point is faster, slower, or "
          "inconclusive. Two single runs are always inconclusive: --input names further runs of the two programs, "
          "which give the spread between runs. Prints text; with --output or --format also HTML, Markdown or JSON.");
ABSL_FLAG(
    std::string, fail_if_slower, "",
    "With --compare: a percentage such as 5%. Exit 4 if a point is 'slower' (its whole interval is above 1) and its "
    "ratio is above 1.05; one line per such point. Inconclusive points never fail.");
ABSL_FLAG(
    std::string, class_folder, "",
    "Folder with one folder per student. The page --output has a row for each, the most severe findings first: "
    "numbers that break a rule, numbers that students share, all or most of them, files that cannot be read, times "
    "that are far from the others'; and the questions that each student answered.");
ABSL_FLAG(
    std::string, class_grades, "",
    "With --class_folder: also write one line per student for a grade book, NAME.csv: verdict, failures, remarks, "
    "answered questions, copies, best speed-up, mostly equal numbers; '-': standard output.");
ABSL_FLAG(std::string, trace, "",
          "Write a mean step of each point of --input as a timeline for ui.perfetto.dev, instead of a report.");
ABSL_FLAG(std::string, tensorboard, "",
          "Write the epochs of each point of --input into this folder for TensorBoard, instead of a report.");
ABSL_FLAG(std::string, mllog, "",
          "Write the epochs of each point of --input into this folder as MLPerf's :::MLLOG lines, a file per point, "
          "instead of a report.");
ABSL_FLAG(std::string, wandb_csv, "",
          "Write the epochs of all points of --input as CSV in the form of a chart of Weights & Biases, instead of a "
          "report.");
ABSL_FLAG(std::string, prometheus, "",
          "Write the numbers of each point of --input as Prometheus text instead of a report; NAME.prom is for node "
          "exporter's textfile collector.");
ABSL_FLAG(std::string, junit, "", "With --check: file for the findings as JUnit XML; '-': standard output.");

namespace lockstep {
namespace {

constexpr char kTool[] = "report";

// Returns the values of --input and the arguments that are not flags, in this order.
std::vector<std::string> GivenInputs() {
  std::vector<std::string> names = absl::GetFlag(FLAGS_input);
  names.insert(names.end(), PositionalArguments().begin(), PositionalArguments().end());
  return names;
}

// Returns the files that the given inputs stand for, and logs which other files were found next to them. A folder
// stands for its records, and for the files that `is_table` accepts.
absl::StatusOr<std::vector<std::string>> Inputs(const IsTableName& is_table = nullptr) {
  ASSIGN_OR_RETURN(NamedRecords named, FindNamedRecords(GivenInputs(), is_table));
  for (const std::string& remark : named.remarks) {
    LogLine(absl::StrCat(kTool, ": ", remark));
  }
  return std::move(named.paths);
}

absl::Status Print() {
  const std::string format = absl::GetFlag(FLAGS_format);
  if (!format.empty() && format != "text" && format != "json") {
    return absl::InvalidArgumentError(absl::StrCat("--format=", format, ": expected text or json with --print"));
  }
  PrintOptions options;
  options.format = format == "json" ? PrintFormat::kJson : PrintFormat::kText;
  options.print_bytes = absl::GetFlag(FLAGS_print_bytes);
  return PrintRecord(absl::GetFlag(FLAGS_print), options, PrintToStdout, std::cerr);
}

absl::Status Convert() {
  return ConvertRecord({absl::GetFlag(FLAGS_convert), absl::GetFlag(FLAGS_output), absl::GetFlag(FLAGS_force)},
                       std::cerr);
}

absl::Status Report() {
  ReportOptions options;
  ASSIGN_OR_RETURN(options.inputs, Inputs());
  options.output = absl::GetFlag(FLAGS_output);
  options.force = absl::GetFlag(FLAGS_force);
  options.dry_run = absl::GetFlag(FLAGS_dry_run);
  ASSIGN_OR_RETURN(options.formats, ParseReportFormats(absl::GetFlag(FLAGS_format), options.output));
  ASSIGN_OR_RETURN(options.style, ParsePageStyle(absl::GetFlag(FLAGS_style)));
  options.audit = absl::GetFlag(FLAGS_audit);
  RETURN_IF_ERROR(CheckGivenFlags({{{"latex", "author", "date"},
                                    HasFormat(options.formats, ReportFormat::kLatex),
                                    "without a LaTeX document",
                                    "add --format=latex"}}));
  ASSIGN_OR_RETURN(options.latex_size, ParseLatexSize(absl::GetFlag(FLAGS_latex)));
  options.author = absl::GetFlag(FLAGS_author);
  options.date = absl::GetFlag(FLAGS_date);
  return RunReport(options);
}

absl::Status Check() {
  CheckOptions options;
  ASSIGN_OR_RETURN(options.inputs, Inputs([&](absl::string_view path) { return options.tables.Find(path); }));
  options.junit = absl::GetFlag(FLAGS_junit);
  options.force = absl::GetFlag(FLAGS_force);
  return RunCheck(options);
}

absl::Status Compare() {
  CompareOptions options;
  options.files = absl::GetFlag(FLAGS_compare);
  ASSIGN_OR_RETURN(options.further_runs, Inputs());
  if (IsGiven("output") || IsGiven("format")) {
    ASSIGN_OR_RETURN(options.outputs, ParseComparisonOutputs(absl::GetFlag(FLAGS_format), absl::GetFlag(FLAGS_output)));
  }
  if (const std::string limit = absl::GetFlag(FLAGS_fail_if_slower); !limit.empty()) {
    ASSIGN_OR_RETURN(options.slowdown_limit, ParseSlowdownLimit(limit));
  }
  options.force = ToForce(absl::GetFlag(FLAGS_force));
  return RunCompare(options);
}

absl::Status Class() {
  if (const std::string format = absl::GetFlag(FLAGS_format); !format.empty() && format != "html") {
    return absl::InvalidArgumentError(
        absl::StrCat("--format=", format, ": the page of --class_folder is HTML; leave --format out"));
  }
  return RunClass({absl::GetFlag(FLAGS_class_folder), absl::GetFlag(FLAGS_output), absl::GetFlag(FLAGS_class_grades),
                   ToForce(absl::GetFlag(FLAGS_force))});
}

absl::Status Trace() {
  ASSIGN_OR_RETURN(const std::vector<std::string> inputs, Inputs());
  return RunStepTrace(inputs, absl::GetFlag(FLAGS_trace), ToForce(absl::GetFlag(FLAGS_force)));
}

absl::Status Tensorboard() {
  ASSIGN_OR_RETURN(const std::vector<std::string> inputs, Inputs());
  return RunEventFiles(inputs, absl::GetFlag(FLAGS_tensorboard), ToForce(absl::GetFlag(FLAGS_force)));
}

absl::Status Mllog() {
  ASSIGN_OR_RETURN(const std::vector<std::string> inputs, Inputs());
  return RunMllog(inputs, absl::GetFlag(FLAGS_mllog), ToForce(absl::GetFlag(FLAGS_force)));
}

absl::Status WandbCsvFile() {
  ASSIGN_OR_RETURN(const std::vector<std::string> inputs, Inputs());
  return RunWandbCsv(inputs, absl::GetFlag(FLAGS_wandb_csv), ToForce(absl::GetFlag(FLAGS_force)));
}

absl::Status Prometheus() {
  ASSIGN_OR_RETURN(const std::vector<std::string> inputs, Inputs());
  return RunPrometheus(inputs, absl::GetFlag(FLAGS_prometheus), ToForce(absl::GetFlag(FLAGS_force)));
}

// A mode of this tool. The flag of that name chooses it; without such a flag the tool makes a report.
struct Mode {
  std::string flag;
  bool given;
  std::vector<std::string> takes;  // flags that have an effect in this mode
  absl::Status (*run)();
};

std::vector<Mode> Modes() {
  return {{"print", !absl::GetFlag(FLAGS_print).empty(), {"format", "print_bytes"}, Print},
          {"convert", !absl::GetFlag(FLAGS_convert).empty(), {"output", "force"}, Convert},
          {"check", absl::GetFlag(FLAGS_check), {"input", "junit", "force"}, Check},
          {"compare",
           !absl::GetFlag(FLAGS_compare).empty(),
           {"input", "output", "format", "force", "fail_if_slower"},
           Compare},
          {"class_folder",
           !absl::GetFlag(FLAGS_class_folder).empty(),
           {"output", "format", "force", "class_grades"},
           Class},
          {"trace", !absl::GetFlag(FLAGS_trace).empty(), {"input", "force"}, Trace},
          {"tensorboard", !absl::GetFlag(FLAGS_tensorboard).empty(), {"input", "force"}, Tensorboard},
          {"mllog", !absl::GetFlag(FLAGS_mllog).empty(), {"input", "force"}, Mllog},
          {"wandb_csv", !absl::GetFlag(FLAGS_wandb_csv).empty(), {"input", "force"}, WandbCsvFile},
          {"prometheus", !absl::GetFlag(FLAGS_prometheus).empty(), {"input", "force"}, Prometheus}};
}

// Refuses flags that have no effect in this mode.
absl::Status CheckFlagsOf(const Mode& mode) {
  RETURN_IF_ERROR(
      CheckGivenFlags({{{"fail_if_slower"},
                        !absl::GetFlag(FLAGS_compare).empty(),
                        "without --compare",
                        "add --compare=before.rec,after.rec"},
                       {{"junit"}, absl::GetFlag(FLAGS_check), "without --check", "add --check"},
                       {{"class_grades"},
                        !absl::GetFlag(FLAGS_class_folder).empty(),
                        "without --class_folder",
                        "add --class_folder=FOLDER"},
                       {{"print_bytes"}, !absl::GetFlag(FLAGS_print).empty(), "without --print", "add --print=FILE"},
                       {{"force"},
                        mode.flag != "check" || !absl::GetFlag(FLAGS_junit).empty(),
                        "without --junit",
                        "add --junit=FILE"}}));
  if (mode.flag.empty()) {
    return absl::OkStatus();
  }
  if (std::count(mode.takes.begin(), mode.takes.end(), "input") == 0 && !PositionalArguments().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("unexpected argument ", PositionalArguments()[0], " with --", mode.flag, "; leave it out"));
  }
  std::vector<std::string> flags = mode.takes;
  flags.push_back(mode.flag);
  return CheckOnlyGiven(flags, absl::StrCat("with --", mode.flag));
}

absl::StatusOr<Mode> ChooseMode() {
  Mode chosen = {"", false, {}, Report};
  for (const Mode& mode : Modes()) {
    if (mode.given && chosen.given) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", chosen.flag, " and --", mode.flag, " exclude each other; give one of them"));
    }
    chosen = mode.given ? mode : chosen;
  }
  RETURN_IF_ERROR(CheckFlagsOf(chosen));
  return chosen;
}

absl::Status Run() {
  ASSIGN_OR_RETURN(const Mode mode, ChooseMode());
  RETURN_IF_ERROR(CheckOutputFlag(absl::GetFlag(FLAGS_output)));
  return mode.run();
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  lockstep::InitMain(
      {lockstep::kTool,
       "Makes tables, answers and plots from records, as one HTML page and as Markdown; or prints a record file.",
       {"report sweep.rec scale.rec --output=report.html", "report lockstep_lab/",
        "report --print=sweep.rec --format=json", "report --check --input=sweep.rec,hand_in.csv --junit=check.xml"},
       {{"files",
         "inputs and outputs",
         {{"input"},
          {"output"},
          {"format", "html,markdown; with --print text"},
          {"style"},
          {"latex"},
          {"author"},
          {"date"},
          {"audit"},
          {"force"},
          {"dry_run"},
          {"quiet"}},
         lockstep::HelpPages::kAll},
        {"print", "a record as text or JSON", {{"print"}, {"print_bytes"}, {"convert"}}, lockstep::HelpPages::kAll},
        {"check", "check of numbers against rules", {{"check"}, {"junit"}}, lockstep::HelpPages::kAll},
        {"compare", "two runs, point by point", {{"compare"}, {"fail_if_slower"}}, lockstep::HelpPages::kAll},
        {"export",
         "for other programs",
         {{"trace"}, {"tensorboard"}, {"mllog"}, {"wandb_csv"}, {"prometheus"}},
         lockstep::HelpPages::kAll},
        {"class", "one page for a class of students", {{"class_folder"}, {"class_grades"}}, lockstep::HelpPages::kAll}},
       "records, their JSON, folders of records, or patterns, like --input"},
      argc, argv);
  return lockstep::RunTool(lockstep::kTool, lockstep::Run);
}
