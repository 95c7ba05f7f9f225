#include "lib/comparison/compare.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/print_text.h"
#include "lib/base/readable_line.h"
#include "lib/base/status_macros.h"
#include "lib/record/run_files.h"
#include "lib/scaling/base_cases.h"
#include "lib/scaling/point_name.h"
#include "lib/statistics/mean.h"

namespace lockstep {
namespace {

// A sweep or a scaling run as a comparison looks at it. Valid as long as its record.
struct TimedRun {
  const RecordSource* source;
  const char* kind;
  RunConditions conditions;
  std::vector<std::pair<std::string, std::vector<double>>> times;  // of each point, by its name
};

void AddTimes(const std::string& name, const proto::Samples& samples, TimedRun& run) {
  const auto& value = samples.value();
  if (!value.empty() && std::all_of(value.begin(), value.end(), [](double time) { return time > 0; })) {
    run.times.push_back({name, {value.begin(), value.end()}});
  }
}

TimedRun ToRun(const LabSweep& sweep) {
  TimedRun run = {&sweep, "sweep", {&sweep.header, &sweep.spec.model(), &sweep.spec.training()}, {}};
  for (const proto::SweepPoint& point : sweep.points) {
    AddTimes(absl::StrCat("batch ", point.batch_size()), point.epoch_seconds(), run);
  }
  return run;
}

TimedRun ToRun(const LabScale& scale) {
  TimedRun run = {&scale, "scaling run", {&scale.header, &scale.spec.model(), &scale.spec.training()}, {}};
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

absl::Status CheckLike(const TimedRun& first, const TimedRun& other) {
  const std::string why = std::string(first.kind) != other.kind
                              ? absl::StrCat("a ", other.kind, " instead of a ", first.kind)
                              : WhyConditionsDiffer(first.conditions, other.conditions);
  return why.empty() ? absl::OkStatus()
                     : absl::FailedPreconditionError(absl::StrCat("--compare: ", other.source->name(),
                                                                  " is not comparable with ", first.source->name(),
                                                                  ": ", why, "; give two runs of the same"));
}

// Copies would say that runs do not differ.
absl::Status CheckNoCopy(const TimedRun& run, const TimedRun& other) {
  return run.times != other.times ? absl::OkStatus()
                                  : absl::FailedPreconditionError(
                                        absl::StrCat("--input: ", other.source->name(), " has the times of ",
                                                     run.source->name(), ", so it is no run of its own; leave it out"));
}

const std::vector<double>* TimesAt(const TimedRun& run, const std::string& name) {
  for (const auto& [point, times] : run.times) {
    if (point == name) {
      return &times;
    }
  }
  return nullptr;
}

double LogOfTimes(const std::vector<double>& times) {
  return std::accumulate(times.begin(), times.end(), 0.0,
                         [](double sum, double time) { return sum + std::log(time); }) /
         static_cast<double>(times.size());
}

// A GPU is known by its UUID, a CPU by its host.
bool SameDevice(const TimedRun& a, const TimedRun& b) {
  const auto identity = [](const TimedRun& run) {
    const proto::Header& header = *run.conditions.header;
    const std::string uuid = header.device_size() > 0 ? header.device(0).uuid_sha256() : "";
    return uuid.empty() && run.conditions.training->device() == proto::CPU ? header.host().name_sha256() : uuid;
  };
  return !identity(a).empty() && identity(a) == identity(b);
}

RunSpread SpreadOfRuns(const TimedRun& first, const TimedRun& second, const std::vector<TimedRun>& more) {
  const bool same = SameDevice(first, second);
  if (more.empty() || !same ||
      !std::all_of(more.begin(), more.end(), [&](const TimedRun& run) { return SameDevice(first, run); })) {
    return StatedRunSpread(same);
  }
  std::vector<std::vector<double>> logs;
  for (const auto& [name, times] : first.times) {
    std::vector<double> point = {LogOfTimes(times)};
    for (const TimedRun& run : more) {
      if (const std::vector<double>* again = TimesAt(run, name); again != nullptr) {
        point.push_back(LogOfTimes(*again));
      }
    }
    if (point.size() > 1) {
      logs.push_back(std::move(point));
    }
  }
  return logs.empty()
             ? StatedRunSpread(same)
             : MeasuredRunSpread(logs, absl::StrCat("measured, ", more.size() + 1, " runs of the same points"));
}

const char* VerdictWord(TimeVerdict verdict) {
  return verdict == TimeVerdict::kFaster ? "faster" : verdict == TimeVerdict::kSlower ? "slower" : "cannot tell";
}

}  // namespace

absl::StatusOr<RunComparison> CompareRuns(const LabRecords& first, const LabRecords& second, const LabRecords& more) {
  ASSIGN_OR_RETURN(const TimedRun a, OneRun(first));
  ASSIGN_OR_RETURN(const TimedRun b, OneRun(second));
  RETURN_IF_ERROR(CheckLike(a, b));
  const std::vector<TimedRun> others = RunsOf(more);
  for (size_t i = 0; i < others.size(); ++i) {
    RETURN_IF_ERROR(CheckLike(a, others[i]));
    for (size_t j = 0; j <= i; ++j) {
      RETURN_IF_ERROR(CheckNoCopy(j == 0 ? a : others[j - 1], others[i]));
    }
  }
  RunComparison result;
  result.spread = SpreadOfRuns(a, b, others);
  for (const auto& [name, times] : a.times) {
    const std::vector<double>* const again = TimesAt(b, name);
    if (again != nullptr) {
      result.points.push_back({name, Mean(times), Mean(*again), {}});
    } else {
      result.left_out.push_back(name);
    }
  }
  if (result.points.empty()) {
    return absl::FailedPreconditionError("--compare: the two runs have no timed point in common");
  }
  const double confidence = 1 - (1 - kCompareConfidence) / static_cast<double>(result.points.size());
  for (ComparedPoint& point : result.points) {
    point.comparison = CompareTimes(*TimesAt(a, point.name), *TimesAt(b, point.name), result.spread, confidence);
  }
  return result;
}

std::string ComparisonText(const RunComparison& comparison) {
  std::string text;
  for (const ComparedPoint& point : comparison.points) {
    const TimeComparison& times = point.comparison;
    const std::string interval = std::isfinite(times.high)
                                     ? absl::StrFormat("%.4f to %.4f", times.low, times.high)
                                     : "no interval: one epoch has no spread; measure with --repeats=5";
    absl::StrAppendFormat(&text, "%-11s %s: %.4f times as long (%s); %.5g s, before %.5g s\n",
                          VerdictWord(times.verdict), ReadableLine(point.name), times.ratio, interval,
                          point.second_seconds, point.first_seconds);
  }
  for (const std::string& name : comparison.left_out) {
    absl::StrAppend(&text, "left out    ", ReadableLine(name), ": the other run has no times of it\n");
  }
  absl::StrAppendFormat(&text,
                        "test: Welch's t on logarithms of epochs with data loading, %.0f %% for all %d points together "
                        "(Bonferroni)\nspread between runs: %.2f %% of a run's mean; %s\n",
                        kCompareConfidence * 100, comparison.points.size(), comparison.spread.deviation * 100,
                        comparison.spread.source);
  return text;
}

absl::Status RunCompare(const std::vector<std::string>& files, const std::vector<std::string>& more) {
  if (files.size() != 2) {
    return absl::InvalidArgumentError(absl::StrCat("--compare=", absl::StrJoin(files, ","),
                                                   ": expected two records, e.g. --compare=before.rec,after.rec"));
  }
  std::vector<std::string> inputs = files;
  inputs.insert(inputs.end(), more.begin(), more.end());
  RETURN_IF_ERROR(DeclareRunFiles({inputs, {}}));
  ASSIGN_OR_RETURN(const LabRecords first, ReadLabRecords({files[0]}));
  ASSIGN_OR_RETURN(const LabRecords second, ReadLabRecords({files[1]}));
  LabRecords others;
  if (!more.empty()) {
    ASSIGN_OR_RETURN(others, ReadLabRecords(more));
  }
  ASSIGN_OR_RETURN(const RunComparison comparison, CompareRuns(first, second, others));
  return PrintToStdout(ComparisonText(comparison));
}

}  // namespace lockstep
