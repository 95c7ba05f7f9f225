#include "lib/lab/lab_run.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>
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
#include "lib/lab/lab_dataset.h"
#include "lib/lab/lab_progress.h"
#include "lib/lab/lab_step_run.h"
#include "lib/lab/lab_steps.h"
#include "lib/lab/lab_unit.h"
#include "lib/lab/plan.h"
#include "lib/lab/shown_command.h"
#include "lib/record/placed_file.h"

namespace lockstep {
namespace {

// Returns the text with the folder of the published tables as the checkout has it.
std::string Shortened(const LabPlaces& places, const std::string& text) {
  return places.published.empty() ? text : absl::StrReplaceAll(text, {{places.published, "data/published"}});
}

absl::Status CheckPaths(const LabRequest& request) {
  if (request.output.empty()) {
    return absl::InvalidArgumentError("--output=: expected the name of a folder; leave the flag out for lockstep_lab");
  }
  if (absl::StrContains(request.output, ',')) {
    return absl::InvalidArgumentError(
        absl::StrCat("--output=", request.output,
                     ": expected a folder without a comma in its name, because lists of files are "
                     "separated by commas; choose another name"));
  }
  if (InputIsRecord(request) && absl::StrContains(request.input, ',')) {
    return absl::InvalidArgumentError(absl::StrCat("--input=", request.input,
                                                   ": expected a record without a comma in its path, because lists of "
                                                   "files are separated by commas; rename it"));
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

// Runs the steps before the plan, and reads the facts that they find.
absl::Status Prepare(const LabRequest& request, const LabPlaces& places, LabFacts& facts) {
  for (const LabStep& step : PreparationSteps(request, facts)) {
    LogLine(absl::StrCat("lab: ", ShownCommand(step.command)));
    RETURN_IF_ERROR(InStep(request, RunLabStep(places.tools, step), "the preparation"));
  }
  RETURN_IF_ERROR(ReadDatasetFacts(DatasetRecord(request), facts));
  return facts.gpus > 0 ? absl::OkStatus() : ReadCpuSpeed(ProbeRecord(request), facts);
}

// Runs the steps of a plan, and plans the remaining ones again after each step.
class PlanRun {
 public:
  // `watch` must have been started with the lab.
  PlanRun(const LabRequest& request, const LabFacts& facts, const LabPlaces& places, const Stopwatch& watch)
      : request_(request), facts_(facts), places_(places), watch_(watch) {}

  absl::Status Run() {
    if (!request_.force) {
      progress_.made = ReadMadeRecords(request_.output);
    }
    progress_.elapsed_seconds = watch_.Seconds();
    ASSIGN_OR_RETURN(plan_, PlanLab(request_, facts_, progress_));
    LogText(absl::StrCat("\n", Shortened(places_, PlanText(request_, plan_))));
    for (auto next = NextStep(); next != plan_.steps.end(); next = NextStep()) {
      const LabStep step = *next;
      ASSIGN_OR_RETURN(const double seconds, RunStep(step));
      ran_.insert(step.record);
      if (NextStep() != plan_.steps.end()) {
        RETURN_IF_ERROR(PlanAgain(step, seconds));
      }
    }
    return absl::OkStatus();
  }

 private:
  // A new plan may have a step before others that have run already.
  std::vector<LabStep>::const_iterator NextStep() const {
    return std::find_if(plan_.steps.begin(), plan_.steps.end(),
                        [&](const LabStep& step) { return ran_.count(step.record) == 0; });
  }

  // Returns the seconds that the step took; 0 if it was cached.
  absl::StatusOr<double> RunStep(const LabStep& step) {
    const size_t number = ran_.size() + 1;
    LogText(absl::StrCat("\n", StepLine(number, plan_.steps.size(), SecondsLeft()), "\n"));
    LogLine(absl::StrCat("  ", Shortened(places_, ShownCommand(step.command))));
    const FileState before = FileState::Of(step.record);
    const Stopwatch step_watch;
    RETURN_IF_ERROR(
        InStep(request_, RunLabStep(places_.tools, step), absl::StrCat("step ", number, " of ", plan_.steps.size())));
    const double seconds = step_watch.Seconds();
    const bool changed = !(FileState::Of(step.record) == before);
    if (changed) {
      progress_.measured_seconds += seconds;
      progress_.predicted_seconds += step.seconds;
    }
    if (step.is_shown) {
      records_.push_back(step.record);
    }
    if (step.is_shown && changed && number + 1 < plan_.steps.size()) {  // the last step makes the page itself
      MakePage();
    }
    return changed ? seconds : 0;
  }

  // Makes the page from the records so far.
  void MakePage() {
    const Stopwatch page_watch;
    if (MakePageQuietly(places_.tools, ReportStep(request_, records_)) && !page_is_announced_) {
      page_is_announced_ = true;
      LogLine(absl::StrCat("lab: a first page after ", AboutSeconds(watch_.Seconds()), ": ",
                           JoinPath(request_.output, "report.html"), "; it is made again after each step"));
    }
    progress_.page_seconds = std::max(progress_.page_seconds, page_watch.Seconds());
  }

  // Plans the steps after `step`, which took `seconds`.
  absl::Status PlanAgain(const LabStep& step, double seconds) {
    progress_.made[step.record] = {WithoutForce(step.command), true};
    progress_.elapsed_seconds = watch_.Seconds();
    ASSIGN_OR_RETURN(LabPlan plan, PlanLab(request_, facts_, progress_));
    const std::string cause = seconds > 0 ? absl::StrCat("step ", ran_.size(), " took ", AboutSeconds(seconds),
                                                         ", predicted were ", AboutSeconds(step.seconds))
                                          : absl::StrCat("step ", ran_.size(), " was cached");
    LogText(Shortened(places_, ChangeText(plan_, plan, cause)));
    plan_ = std::move(plan);
    return absl::OkStatus();
  }

  double SecondsLeft() const {
    double seconds = 0;
    for (const LabStep& step : plan_.steps) {
      seconds += step.is_made || ran_.count(step.record) > 0 ? 0 : step.seconds;
    }
    return seconds * progress_.Pace();
  }

  const LabRequest& request_;
  const LabFacts& facts_;
  const LabPlaces& places_;
  const Stopwatch& watch_;
  LabProgress progress_;
  LabPlan plan_;
  std::set<std::string> ran_;                                     // records of the steps that have run
  std::vector<std::string> records_ = {DatasetRecord(request_)};  // records that the page reads, so far
  bool page_is_announced_ = false;
};

}  // namespace

absl::Status RunLab(const LabRequest& request, const LabPlaces& places) {
  const Stopwatch watch;
  RETURN_IF_ERROR(CheckPaths(request));
  ASSIGN_OR_RETURN(LabFacts facts, ReadMachine(request.device));
  facts.published = PublishedTables(places.published);
  RETURN_IF_ERROR(MakeFolder(request.output));
  RETURN_IF_ERROR(Prepare(request, places, facts));
  RETURN_IF_ERROR(PlanRun(request, facts, places, watch).Run());
  std::error_code error;
  const std::string folder = std::filesystem::absolute(request.output, error).lexically_normal().string();
  LogText("\n");
  LogLine(absl::StrCat("Done in ", AboutSeconds(watch.Seconds()), ". The report: ", JoinPath(folder, "report.html"),
                       " (and report.md next to it)"));
  return absl::OkStatus();
}

absl::Status PrintLabPlan(const LabRequest& request, const LabPlaces& places) {
  RETURN_IF_ERROR(CheckPaths(request));
  ASSIGN_OR_RETURN(LabFacts facts, ReadMachine(request.device));
  facts.published = PublishedTables(places.published);
  RETURN_IF_ERROR(CountDatasetFacts(request, facts));
  LabProgress progress;
  if (!request.force) {
    progress.made = ReadMadeRecords(request.output);
  }
  ASSIGN_OR_RETURN(const LabPlan plan, PlanLab(request, facts, progress));
  std::string text;
  for (const LabStep& step : PreparationSteps(request, facts)) {
    absl::StrAppend(&text, "lab: ", ShownCommand(step.command), "\n");
  }
  return PrintToStdout(absl::StrCat(text, Shortened(places, PlanText(request, plan))));
}

}  // namespace lockstep
