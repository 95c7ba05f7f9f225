#include "lib/comparison/run_compare.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "lib/base/log_line.h"
#include "lib/base/print_text.h"
#include "lib/base/status_macros.h"
#include "lib/comparison/compare.h"
#include "lib/comparison/slowdown.h"
#include "lib/record/output_file.h"
#include "lib/record/run_files.h"

namespace lockstep {
namespace {

absl::Status DeclareFiles(const CompareOptions& options) {
  RunFiles files = {options.files, {}};
  files.inputs.insert(files.inputs.end(), options.further_runs.begin(), options.further_runs.end());
  for (const ComparisonOutput& output : options.outputs) {
    files.outputs.push_back({"--output", output.path, ""});
  }
  return DeclareRunFiles(std::move(files));
}

absl::StatusOr<RunComparison> Compare(const CompareOptions& options) {
  ASSIGN_OR_RETURN(const LabRecords first, ReadLabRecords({options.files[0]}));
  ASSIGN_OR_RETURN(const LabRecords second, ReadLabRecords({options.files[1]}));
  LabRecords further;
  if (!options.further_runs.empty()) {
    ASSIGN_OR_RETURN(further, ReadLabRecords(options.further_runs));
  }
  return CompareRuns(first, second, further);
}

absl::Status WritePages(const CompareOptions& options, const RunComparison& comparison) {
  for (const ComparisonOutput& output : options.outputs) {
    const std::string page = ComparisonPage(comparison, output.format);
    if (output.path == "-") {
      RETURN_IF_ERROR(PrintToStdout(page));
      continue;
    }
    RETURN_IF_ERROR(WriteWholeFile(output.path, page, ReplaceIfForced(options.force, ReplaceMarked(kComparisonMark))));
    LogLine(absl::StrCat("report: wrote ", output.path));
  }
  return absl::OkStatus();
}

// Prints the decision of --fail_if_slower: on standard output, or on standard error if a page is there.
absl::Status PrintSlowdown(const std::string& text, bool page_is_on_stdout) {
  if (!page_is_on_stdout) {
    return PrintToStdout(text);
  }
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    LogWarning(absl::StrCat("report: warning: ", line));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RunCompare(const CompareOptions& options) {
  if (options.files.size() != 2) {
    return absl::InvalidArgumentError(absl::StrCat("--compare=", absl::StrJoin(options.files, ","),
                                                   ": expected two records, e.g. --compare=before.rec,after.rec"));
  }
  RETURN_IF_ERROR(DeclareFiles(options));
  ASSIGN_OR_RETURN(const RunComparison comparison, Compare(options));
  const bool prints_page = std::any_of(options.outputs.begin(), options.outputs.end(),
                                       [](const ComparisonOutput& output) { return output.path == "-"; });
  if (!prints_page) {
    RETURN_IF_ERROR(PrintToStdout(ComparisonText(comparison)));
  }
  if (options.slowdown_limit.has_value()) {
    RETURN_IF_ERROR(PrintSlowdown(SlowdownText(comparison, *options.slowdown_limit), prints_page));
  }
  RETURN_IF_ERROR(WritePages(options, comparison));
  return options.slowdown_limit.has_value() ? SlowdownStatus(comparison, *options.slowdown_limit) : absl::OkStatus();
}

}  // namespace lockstep
