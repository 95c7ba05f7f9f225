#include "lib/lab/lab_run.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/base/log_line.h"
#include "lib/base/path.h"
#include "lib/base/print_text.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/stopwatch.h"
#include "lib/lab/lab_step_run.h"
#include "lib/lab/lab_steps.h"
#include "lib/lab/plan.h"
#include "lib/lab/shown_command.h"
#include "lib/record/placed_file.h"

namespace lockstep {
namespace {

constexpr uint32_t kCifarImages = 50000;
constexpr uint32_t kCifarTestImages = 10000;
// Predicted seconds after which the time left is corrected by the measured ones.
constexpr double kMinPredictedSeconds = 5;

// Returns the text with the folder of the published tables as the checkout has it.
std::string Shortened(const LabPlaces& places, const std::string& text) {
  return places.published.empty() ? text : absl::StrReplaceAll(text, {{places.published, "data/published"}});
}

absl::Status CheckOutput(const std::string& output) {
  if (output.empty()) {
    return absl::InvalidArgumentError("--output=: expected the name of a folder; leave the flag out for lockstep_lab");
  }
  if (absl::StrContains(output, ',')) {
    return absl::InvalidArgumentError(
        absl::StrCat("--output=", output,
                     ": expected a folder without a comma in its name, because lists of files are "
                     "separated by commas; choose another name"));
  }
  return absl::OkStatus();
}

absl::Status MakeFolder(const std::string& output) {
  std::error_code error;
  std::filesystem::create_directories(output, error);
  if (error || !std::filesystem::is_directory(output, error)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--output=", output, ": expected a folder, or a name at which one can be made; choose another"));
  }
  return absl::OkStatus();
}

// Adds the place in the lab to an error.
absl::Status InStep(const absl::Status& status, const std::string& where) {
  if (absl::IsCancelled(status)) {
    return absl::CancelledError(
        absl::StrCat(status.message(), " in ", where, "; the same command continues from there"));
  }
  return status.ok() ? status : absl::Status(status.code(), absl::StrCat(where, ": ", status.message()));
}

// Runs the steps before the plan, and reads the facts that they find.
absl::Status Prepare(const LabRequest& request, const LabPlaces& places, LabFacts& facts) {
  for (const LabStep& step : PreparationSteps(request, facts)) {
    LogLine(absl::StrCat("lab: ", ShownCommand(step.command)));
    RETURN_IF_ERROR(InStep(RunLabStep(places.tools, step), "the preparation"));
  }
  RETURN_IF_ERROR(ReadImageCounts(LabRecord(request, "dataset"), facts));
  return facts.gpus > 0 ? absl::OkStatus() : ReadCpuSpeed(ProbeRecord(request), facts);
}

// Runs planned steps and corrects the time left by the time that they took.
class PlanRun {
 public:
  PlanRun(const LabRequest& request, const LabPlaces& places, const LabPlan& plan)
      : request_(request), places_(places), plan_(plan), records_({LabRecord(request, "dataset")}) {}

  // Returns whether the step changed its record; a cached step does not.
  absl::StatusOr<bool> RunStep(size_t index) {
    const LabStep& step = plan_.steps[index];
    const std::string line = StepLine(index + 1, plan_.steps.size(), SecondsLeft(index));
    LogText(absl::StrCat("\n", line, "\n"));
    LogLine(absl::StrCat("  ", Shortened(places_, ShownCommand(step.command))));
    const FileState before = FileState::Of(step.record);
    const Stopwatch watch;
    RETURN_IF_ERROR(
        InStep(RunLabStep(places_.tools, step), absl::StrCat("step ", index + 1, " of ", plan_.steps.size())));
    const bool changed = !(FileState::Of(step.record) == before);
    if (changed) {
      measured_ += watch.Seconds();
      predicted_ += step.seconds;
    }
    return changed;
  }

  // Makes the page from the records so far, if the step has changed its record.
  void MakePage(size_t index, bool changed) {
    const LabStep& step = plan_.steps[index];
    if (step.is_shown) {
      records_.push_back(step.record);
    }
    if (!step.is_shown || !changed) {
      return;
    }
    const LabStep report = ReportStep(request_, records_);
    if (MakePageQuietly(places_.tools, report) && !page_is_announced_) {
      page_is_announced_ = true;
      LogLine(absl::StrCat("lab: a first page after ", AboutSeconds(watch_.Seconds()), ": ",
                           JoinPath(request_.output, "report.html"), "; it is made again after each step"));
    }
  }

 private:
  double SecondsLeft(size_t index) const {
    double seconds = 0;
    for (size_t i = index; i < plan_.steps.size(); ++i) {
      seconds += plan_.steps[i].seconds;
    }
    return predicted_ < kMinPredictedSeconds ? seconds : seconds * measured_ / predicted_;
  }

  const LabRequest& request_;
  const LabPlaces& places_;
  const LabPlan& plan_;
  std::vector<std::string> records_;  // records that the page reads, so far
  double measured_ = 0;               // seconds of the steps that were not cached
  double predicted_ = 0;              // their predicted seconds
  bool page_is_announced_ = false;
  Stopwatch watch_;
};

}  // namespace

absl::Status RunLab(const LabRequest& request, const LabPlaces& places) {
  const Stopwatch watch;
  RETURN_IF_ERROR(CheckOutput(request.output));
  ASSIGN_OR_RETURN(LabFacts facts, ReadMachine(request.device));
  facts.published = PublishedTables(places.published);
  RETURN_IF_ERROR(MakeFolder(request.output));
  RETURN_IF_ERROR(Prepare(request, places, facts));
  ASSIGN_OR_RETURN(const LabPlan plan, PlanLab(request, facts));
  LogText(absl::StrCat("\n", Shortened(places, PlanText(request, plan))));
  PlanRun run(request, places, plan);
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    ASSIGN_OR_RETURN(const bool changed, run.RunStep(i));
    if (i + 2 < plan.steps.size()) {  // the last step makes the page itself
      run.MakePage(i, changed);
    }
  }
  std::error_code error;
  const std::string folder = std::filesystem::absolute(request.output, error).lexically_normal().string();
  LogText("\n");
  LogLine(absl::StrCat("Done in ", AboutSeconds(watch.Seconds()), ". The report: ", JoinPath(folder, "report.html"),
                       " (and report.md next to it)"));
  return absl::OkStatus();
}

absl::Status PrintLabPlan(const LabRequest& request, const LabPlaces& places) {
  RETURN_IF_ERROR(CheckOutput(request.output));
  ASSIGN_OR_RETURN(LabFacts facts, ReadMachine(request.device));
  facts.published = PublishedTables(places.published);
  facts.train_images = request.input.empty() ? SyntheticImages(request, facts) : kCifarImages;
  facts.test_images = request.input.empty() ? std::max<uint32_t>(1, facts.train_images / 4) : kCifarTestImages;
  ASSIGN_OR_RETURN(const LabPlan plan, PlanLab(request, facts));
  std::string text;
  for (const LabStep& step : PreparationSteps(request, facts)) {
    absl::StrAppend(&text, "lab: ", ShownCommand(step.command), "\n");
  }
  return PrintToStdout(absl::StrCat(text, Shortened(places, PlanText(request, plan))));
}

}  // namespace lockstep
