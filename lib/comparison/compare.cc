#include "lib/comparison/compare.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/log_line.h"
#include "lib/base/readable_line.h"
#include "lib/base/status_macros.h"
#include "lib/comparison/version.h"
#include "lib/scaling/base_cases.h"
#include "lib/scaling/point_name.h"
#include "lib/scaling/point_settings.h"
#include "lib/scaling/run_conditions.h"
#include "lib/statistics/mean.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

// A sweep or a scaling run, prepared for comparison. Valid as long as its record.
struct TimedRun {
  const RecordSource* source;
  const char* kind;
  RunConditions conditions;
  // Settings that distinguish runs under the same conditions, in words: its version, and those of a scaling run's
  // points and of its communication. Equal conditions include the training.
  std::vector<std::string> settings;
  std::vector<std::pair<std::string, std::vector<double>>> times;  // times of each point, by its name
};

void AddTimes(const std::string& name, const proto::Samples& samples, TimedRun& run) {
  const auto& value = samples.value();
  if (!value.empty() && std::all_of(value.begin(), value.end(), [](double time) { return time > 0; })) {
    run.times.push_back({name, {value.begin(), value.end()}});
  }
}

std::vector<std::string> WordsOfVersion(const proto::Header& header) {
  std::vector<std::string> words;
  for (const VersionPart& part : VersionOf(header)) {
    words.push_back(part.words);
  }
  return words;
}

std::vector<std::string> SettingsOfRun(const LabScale& scale) {
  std::vector<std::string> settings = WordsOfVersion(scale.header);
  settings.push_back(SettingsText(SettingsOf(scale.spec, proto::ScalePoint())));
  for (const RunSetting& setting : CommunicationSettings(scale.spec)) {
    settings.push_back(setting.words);
  }
  return settings;
}

TimedRun ToRun(const LabSweep& sweep) {
  TimedRun run = {
      &sweep, "sweep", {&sweep.header, &sweep.spec.model(), &sweep.spec.training()}, WordsOfVersion(sweep.header), {}};
  for (const proto::SweepPoint& point : sweep.points) {
    AddTimes(absl::StrCat("batch ", point.batch_size()), point.epoch_seconds(), run);
  }
  return run;
}

TimedRun ToRun(const LabScale& scale) {
  TimedRun run = {
      &scale, "scaling run", {&scale.header, &scale.spec.model(), &scale.spec.training()}, SettingsOfRun(scale), {}};
  for (const proto::ScalePoint& point : scale.points) {
    AddTimes(PointTitle(scale.spec, point), point.epoch_seconds(), run);
  }
  return run;
}

std::vector<TimedRun> RunsOf(const LabRecords& lab) {
  std::vector<TimedRun> runs;
  for (const LabSweep& sweep : lab.sweeps) {
    runs.push_back(ToRun(sweep));
  }
  for (const LabScale& scale : lab.scales) {
    runs.push_back(ToRun(scale));
  }
  return runs;
}

absl::StatusOr<TimedRun> OneRun(const LabRecords& lab) {
  std::vector<TimedRun> runs = RunsOf(lab);
  if (runs.size() != 1) {
    return absl::FailedPreconditionError(
        absl::StrCat("--compare: expected one record of train_sweep or scale_run, found ",
                     lab.Sources().empty() ? "none" : lab.Sources()[0]->name()));
  }
  return std::move(runs[0]);
}

absl::Status NotComparable(const TimedRun& first, const TimedRun& other, const std::string& why_and_remedy) {
  return absl::FailedPreconditionError(absl::StrCat("--compare: ", other.source->name(), " is not comparable with ",
                                                    first.source->name(), ": ", why_and_remedy));
}

// Returns FailedPreconditionError if the times of the runs cannot be compared. Several differences are printed on
// standard error, one per line.
absl::Status CheckLike(const TimedRun& first, const TimedRun& other) {
  if (std::string(first.kind) != other.kind) {
    return NotComparable(
        first, other, absl::StrCat("a ", other.kind, " instead of a ", first.kind, "; give two records of one tool"));
  }
  const std::vector<std::string> differences = ConditionDifferences(first.conditions, other.conditions);
  if (differences.empty()) {
    return absl::OkStatus();
  }
  const std::string remedy =
      absl::StrCat("; give two runs under the same conditions, or show both on one page: report ",
                   first.source->input.path(), " ", other.source->input.path(), " --output=both.html");
  if (differences.size() == 1) {
    return NotComparable(first, other, absl::StrCat(differences[0], remedy));
  }
  for (size_t i = 0; i < std::min(differences.size(), kMaxShownDifferences); ++i) {
    LogWarning(absl::StrCat("report: ", other.source->name(), ": ", differences[i]));
  }
  if (differences.size() > kMaxShownDifferences) {
    LogWarning(absl::StrCat("report: ", other.source->name(), ": ",
                            CountOf(differences.size() - kMaxShownDifferences, "more difference")));
  }
  return NotComparable(first, other, absl::StrCat("the ", differences.size(), " differences above", remedy));
}

// FailedPrecondition: `other` is a copy of `run`. Copies would make the spread between runs too small.
absl::Status CheckNoCopy(const TimedRun& run, const TimedRun& other) {
  return run.times != other.times ? absl::OkStatus()
                                  : absl::FailedPreconditionError(absl::StrCat(
                                        "--input: ", other.source->name(), " has the times of ", run.source->name(),
                                        ", so it is not a separate run; leave it out"));
}

const std::vector<double>* TimesAt(const TimedRun& run, const std::string& name) {
  for (const auto& [point, times] : run.times) {
    if (point == name) {
      return &times;
    }
  }
  return nullptr;
}

bool SameDevice(const TimedRun& a, const TimedRun& b) {
  return CompareMachines(*a.conditions.header, *b.conditions.header, a.conditions.training->device()) ==
         SameMachine::kYes;
}

// Returns true if the runs are of one version with the same settings.
bool IsSameProgram(const TimedRun& a, const TimedRun& b) { return a.settings == b.settings; }

// All runs of each of the two programs; the runs that are compared come first.
struct Sides {
  std::vector<const TimedRun*> first, second;
};

absl::StatusOr<Sides> AssignRuns(const TimedRun& first, const TimedRun& second, const std::vector<TimedRun>& more) {
  Sides sides = {{&first}, {&second}};
  for (const TimedRun& run : more) {
    if (IsSameProgram(run, first)) {
      sides.first.push_back(&run);
    } else if (IsSameProgram(run, second)) {
      sides.second.push_back(&run);
    } else {
      return absl::FailedPreconditionError(
          absl::StrCat("--input: ", run.source->name(),
                       " was made by another build, with other settings, or on another system than ",
                       first.source->name(), " and ", second.source->name(), "; give runs of these two programs"));
    }
  }
  return sides;
}

// Returns the side of `runs`, which must not be empty; the first is compared with `other` of the other side.
ComparedSide SideOf(const std::vector<const TimedRun*>& runs, const TimedRun& other) {
  ComparedSide side;
  for (const TimedRun* run : runs) {
    const std::string& path = run->source->input.path();
    side.files.push_back(path == "-" ? run->source->name() : path);
  }
  const TimedRun& first = *runs.front();
  for (size_t i = 0; i < first.settings.size(); ++i) {  // runs of one kind have the same list
    if (first.settings[i] != other.settings[i]) {
      side.distinction.push_back(first.settings[i]);
    }
  }
  return side;
}

std::string SideText(const char* name, const ComparedSide& side) {
  return absl::StrFormat("%-12s %s\n", name,
                         ReadableLine(absl::StrCat(absl::StrJoin(side.files, ", "), " (", DistinctionText(side), ")")));
}

// Returns the logarithms of the mean epochs of one point, for each run that has it.
RunLogs LogsAt(const std::vector<const TimedRun*>& runs, const std::string& name) {
  RunLogs logs;
  for (const TimedRun* run : runs) {
    if (const std::vector<double>* const times = TimesAt(*run, name); times != nullptr) {
      logs.push_back(std::log(Mean(*times)));
    }
  }
  return logs;
}

double ConfidenceOfEach(size_t points) {
  return 1 - (1 - kCompareConfidence) / static_cast<double>(std::max<size_t>(points, 1));
}

// Returns the deviation of the epochs of all runs about the mean of their run and point.
double EpochDeviationOf(const Sides& sides) {
  std::vector<std::vector<double>> epochs;
  for (const auto* runs : {&sides.first, &sides.second}) {
    for (const TimedRun* run : *runs) {
      for (const auto& [name, times] : run->times) {
        epochs.push_back(times);
      }
    }
  }
  return DeviationOfEpochs(epochs);
}

std::string PlannedForText(double epoch_deviation) {
  return epoch_deviation > kPlannedDeviation
             ? absl::StrFormat("%.1f %%, that of the epochs within the runs", epoch_deviation * 100)
             : absl::StrFormat("%.1f %%: two runs of one program on one H200 took 0.793 and 0.813 s",
                               kPlannedDeviation * 100);
}

MeasuredOn DevicesOf(const RunComparison& comparison) {
  return comparison.same_device ? MeasuredOn::kSameDevice : MeasuredOn::kTwoDevices;
}

std::string IntervalText(const TimeComparison& times) {
  return std::isfinite(times.high) ? absl::StrFormat("%.4f to %.4f", times.low, times.high)
                                   : "no interval: one run of each";
}

std::string SpreadText(const RunComparison& comparison) {
  const RunSpread& spread = comparison.spread;
  std::string text =
      spread.degrees_of_freedom > 0
          ? absl::StrFormat("spread between runs: %.2f %% of a run's mean, measured with %.0f degree%s of freedom\n",
                            spread.deviation * 100, spread.degrees_of_freedom,
                            spread.degrees_of_freedom == 1 ? "" : "s")
          : absl::StrCat(
                "spread between runs: not known, as each program was run once; give further runs with --input. "
                "The number of runs needed is computed for a spread of ",
                PlannedForText(comparison.epoch_deviation), "\n");
  if (!comparison.same_device) {
    text +=
        "devices: two, or not known to be one; devices of one kind differ by up to 3 % "
        "(benchmarks/results/README.md)\n";
  }
  return text;
}

}  // namespace

absl::StatusOr<RunComparison> CompareRuns(const LabRecords& first, const LabRecords& second, const LabRecords& more) {
  ASSIGN_OR_RETURN(const TimedRun a, OneRun(first));
  ASSIGN_OR_RETURN(const TimedRun b, OneRun(second));
  RETURN_IF_ERROR(CheckLike(a, b));
  const std::vector<TimedRun> others = RunsOf(more);
  for (size_t i = 0; i < others.size(); ++i) {
    RETURN_IF_ERROR(CheckLike(a, others[i]));
    RETURN_IF_ERROR(CheckNoCopy(a, others[i]));
    RETURN_IF_ERROR(CheckNoCopy(b, others[i]));
    for (size_t j = 0; j < i; ++j) {
      RETURN_IF_ERROR(CheckNoCopy(others[j], others[i]));
    }
  }
  ASSIGN_OR_RETURN(const Sides sides, AssignRuns(a, b, others));
  RunComparison result;
  result.first_runs = static_cast<uint32_t>(sides.first.size());
  result.second_runs = static_cast<uint32_t>(sides.second.size());
  result.same_device = SameDevice(a, b);
  result.first_side = SideOf(sides.first, b);
  result.second_side = SideOf(sides.second, a);
  result.one_version = !others.empty() && IsSameProgram(a, b);
  if (result.one_version) {
    return result;
  }
  result.epoch_deviation = EpochDeviationOf(sides);
  std::vector<std::vector<RunLogs>> programs(2);
  for (const auto& [name, times] : a.times) {
    programs[0].push_back(LogsAt(sides.first, name));
    programs[1].push_back(LogsAt(sides.second, name));
    if (TimesAt(b, name) != nullptr) {
      result.points.push_back({name, 0, 0, {}, 0});
    } else {
      result.only_first.push_back(name);
    }
  }
  for (const auto& [name, times] : b.times) {
    if (TimesAt(a, name) == nullptr) {
      result.only_second.push_back(name);
    }
  }
  if (result.points.empty()) {
    return absl::FailedPreconditionError("--compare: the two runs have no timed point in common");
  }
  result.spread = SpreadBetweenRuns(programs);
  const double confidence = ConfidenceOfEach(result.points.size());
  for (ComparedPoint& point : result.points) {
    const RunLogs of_first = LogsAt(sides.first, point.name), of_second = LogsAt(sides.second, point.name);
    point.first_seconds = std::exp(Mean(of_first));
    point.second_seconds = std::exp(Mean(of_second));
    point.comparison = CompareRunLogs(of_first, of_second, result.spread, DevicesOf(result), confidence);
    point.runs_needed = RunsThatDecide(result, point.comparison.ratio);
  }
  return result;
}

const char* TimeVerdictWord(TimeVerdict verdict) {
  return verdict == TimeVerdict::kFaster ? "faster" : verdict == TimeVerdict::kSlower ? "slower" : "inconclusive";
}

std::string DistinctionText(const ComparedSide& side) {
  return side.distinction.empty() ? "same build, libraries, driver, environment and settings"
                                  : absl::StrJoin(side.distinction, ", ");
}

std::string SidesText(const RunComparison& comparison) {
  return SideText("before", comparison.first_side) + SideText("after", comparison.second_side);
}

uint32_t RunsThatDecide(const RunComparison& comparison, double ratio) {
  return RunsNeeded(ratio, PlanningDeviation(comparison.spread, comparison.epoch_deviation), DevicesOf(comparison),
                    ConfidenceOfEach(comparison.points.size()));
}

std::string FurtherRunsText(const RunComparison& comparison, uint32_t runs_needed) {
  const auto more = [&](uint32_t runs) { return std::max(runs_needed, runs) - runs; };
  uint32_t before = more(comparison.first_runs), after = more(comparison.second_runs);
  if (before == 0 && after == 0) {  // the runs so far had less precise an estimate of the spread than so many have
    before = after = 1;
  }
  return absl::StrCat(CountOf(before, "more run"), " before and ", after, " more after");
}

std::string UndecidedText(const RunComparison& comparison, const ComparedPoint& point) {
  if (point.comparison.verdict != TimeVerdict::kInconclusive) {
    return "";
  }
  return point.runs_needed > 0
             ? absl::StrCat("; ", point.runs_needed,
                            " runs of each would decide: ", FurtherRunsText(comparison, point.runs_needed))
             : absl::StrCat("; ", kMaxRunsNeeded, " runs of each would not decide");
}

std::vector<std::string> LeftOutTexts(const RunComparison& comparison) {
  std::vector<std::string> texts;
  for (const auto& [names, run] :
       {std::pair(&comparison.only_first, "before"), std::pair(&comparison.only_second, "after")}) {
    if (!names->empty()) {
      const bool one = names->size() == 1;
      texts.push_back(absl::StrCat(one ? "" : absl::StrCat(names->size(), " points, first "), names->front(),
                                   ": only the run ", run, " has times of ", one ? "it" : "them"));
    }
  }
  return texts;
}

std::string TestText(const RunComparison& comparison) {
  if (comparison.one_version) {
    return "one version: nothing to compare; all runs have the same build, libraries, driver, environment and "
           "settings\n";
  }
  const size_t count = comparison.points.size();
  const std::string points = count == 1 ? "the point" : absl::StrCat("all ", count, " points together");
  return absl::StrFormat(
      "test: Welch's t on logarithms of the runs' mean epochs with data loading, %.0f %% for %s "
      "(Bonferroni); runs: %d, before %d\n%s",
      kCompareConfidence * 100, points, comparison.second_runs, comparison.first_runs, SpreadText(comparison));
}

std::string ComparisonText(const RunComparison& comparison) {
  std::string text = SidesText(comparison);
  for (const ComparedPoint& point : comparison.points) {
    const TimeComparison& times = point.comparison;
    absl::StrAppendFormat(&text, "%-12s %s: %.4f times as long (%s%s); %.5g s, before %.5g s\n",
                          TimeVerdictWord(times.verdict), ReadableLine(point.name), times.ratio, IntervalText(times),
                          UndecidedText(comparison, point), point.second_seconds, point.first_seconds);
  }
  for (const std::string& cause : LeftOutTexts(comparison)) {
    absl::StrAppend(&text, "left out     ", ReadableLine(cause), "\n");
  }
  return absl::StrCat(text, TestText(comparison));
}

}  // namespace lockstep
