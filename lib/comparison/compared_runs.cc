#include "lib/comparison/compared_runs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/comparison/version.h"
#include "lib/scaling/base_cases.h"
#include "lib/scaling/point_settings.h"
#include "lib/scaling/run_conditions.h"
#include "lib/statistics/mean.h"
#include "lib/wording/cell.h"
#include "lib/wording/claim.h"
#include "lib/wording/describe.h"

namespace lockstep {
namespace {

constexpr double kConfidence = 0.95;  // confidence of all comparisons of a work together

constexpr size_t kMaxWords = 3;  // settings shown for one run; the others are counted

using Setting = std::pair<std::string, std::string>;  // name and the words for its value
using PlaceKey = std::pair<uint32_t, uint32_t>;       // ranks, 0 for a sweep; batch size per device

// A record, or the points of a scaling record that are trained alike.
struct Run {
  const RecordSource* source;
  std::string work;
  proto::DeviceKind device;
  std::vector<Setting> settings;
  std::map<PlaceKey, const proto::Samples*> times;
};

// Returns the settings as words. Fields that the words of `way` cover, and those that do not change the meaning of a
// time (lib/scaling/run_conditions.h), are left out.
std::vector<Setting> SettingsOfRun(const std::string& way, const proto::TrainingSpec& training,
                                   const proto::Header& header) {
  static const auto* covered =
      new std::set<std::string>({"model", "precision", "step", "cuda_graph", "channels_last", "device"});
  std::vector<Setting> settings = {{"", way}, {"device", header.device_size() > 0 ? header.device(0).name() : "CPU"}};
  for (const VersionPart& part : VersionOf(header)) {
    settings.push_back({part.name, part.words});
  }
  for (const TrainingSetting& setting : ComparableSettings(training)) {
    if (covered->count(setting.name) == 0) {
      const std::string words = setting.value == "false"  ? ""  // also a switch that an older record lacks
                                : setting.value == "true" ? setting.name
                                                          : absl::StrCat(setting.name, "=", setting.value);
      settings.push_back({setting.name, words});
    }
  }
  return settings;
}

// Returns "bf16, fused step", "fp32, fused step", "fp32 by autograd". Unlike DescribeWay, names fp32.
std::string WayOf(const proto::TrainingSpec& training) {
  const std::string way = DescribeWay(training);
  return way.empty() ? "fp32 by autograd" : training.precision() == proto::FP32 ? absl::StrCat("fp32, ", way) : way;
}

// Returns " of 64x64 in 37 classes"; empty for CIFAR-10's shape, and for older records, which do not state it.
std::string ShapeText(const proto::ModelFacts& model) {
  const bool is_cifar10 =
      (model.classes() == 10 && model.height() == 32 && model.width() == 32) || model.classes() == 0;
  return is_cifar10 ? ""
                    : absl::StrCat(" of ", model.height(), "x", model.width(), " in ", model.classes(), " classes");
}

std::string WorkOf(const proto::TrainingSpec& training, const proto::ModelFacts& model, const char* tool) {
  return absl::StrCat(training.model(), ", ", FormatCount(model.training_images()), " images", ShapeText(model), ", ",
                      tool);
}

bool HasTimes(const proto::Samples& samples) {
  return !samples.value().empty() &&
         std::all_of(samples.value().begin(), samples.value().end(), [](double time) { return time > 0; });
}

std::vector<Run> RunsOf(const LabRecords& lab) {
  std::vector<Run> runs;
  for (const LabSweep& sweep : lab.sweeps) {
    const proto::TrainingSpec& training = sweep.spec.training();
    Run run = {&sweep,
               WorkOf(training, sweep.spec.model(), "train_sweep"),
               training.device(),
               SettingsOfRun(WayOf(training), training, sweep.header),
               {}};
    for (const proto::SweepPoint& point : sweep.points) {
      if (HasTimes(point.epoch_seconds())) {
        run.times[{0, point.batch_size()}] = &point.epoch_seconds();
      }
    }
    runs.push_back(std::move(run));
  }
  for (const LabScale& scale : lab.scales) {
    std::vector<const proto::ScalePoint*> points;
    for (const proto::ScalePoint& point : scale.points) {
      if (point.row().empty() && IsTimedPoint(point) && HasTimes(point.epoch_seconds())) {
        points.push_back(&point);
      }
    }
    for (const SettingsPart& part : SplitBySettings(scale.spec, points)) {
      const proto::TrainingSpec& training = TrainingOf(scale.spec, *part.points[0]);
      Run run = {&scale,
                 WorkOf(training, scale.spec.model(), "scale_run"),
                 training.device(),
                 SettingsOfRun(SettingsText(part.settings), training, scale.header),
                 {}};
      for (const RunSetting& setting : CommunicationSettings(scale.spec)) {
        run.settings.push_back({setting.name, setting.words});
      }
      for (const proto::ScalePoint* point : part.points) {
        run.times[{point->ranks(), point->batch_per_device()}] = &point->epoch_seconds();
      }
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

// Returns for each run the settings that differ among the runs: at most `max_words`, and the number of the others.
std::vector<std::string> DifferingSettings(const std::vector<const Run*>& runs, size_t max_words) {
  std::vector<std::vector<std::string>> words(runs.size());
  for (size_t i = 0; i < runs[0]->settings.size(); ++i) {  // all runs have the same list of names
    const bool differs = std::any_of(runs.begin(), runs.end(), [&](const Run* run) {
      return run->settings[i].second != runs[0]->settings[i].second;
    });
    for (size_t r = 0; r < runs.size() && differs; ++r) {
      if (!runs[r]->settings[i].second.empty()) {
        words[r].push_back(runs[r]->settings[i].second);
      }
    }
  }
  std::vector<std::string> texts;
  for (std::vector<std::string>& each : words) {
    const size_t more = each.size() - std::min(each.size(), max_words);
    each.resize(each.size() - more);
    texts.push_back(absl::StrCat(absl::StrJoin(each, ", "), more > 0 ? absl::StrCat(" and ", more, " more") : ""));
  }
  return texts;
}

// Runs with the same settings.
struct Series {
  std::string settings;
  std::vector<const Run*> runs;
};

std::vector<Series> ToSeries(const std::vector<const Run*>& runs) {
  std::vector<Series> all;
  const std::vector<std::string> whole = DifferingSettings(runs, std::numeric_limits<size_t>::max());
  std::vector<std::string> settings = DifferingSettings(runs, kMaxWords);
  if (std::set<std::string>(whole.begin(), whole.end()).size() !=
      std::set<std::string>(settings.begin(), settings.end()).size()) {
    settings = whole;  // the shortened texts would not tell all runs apart
  }
  for (size_t r = 0; r < runs.size(); ++r) {
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const Series& each) { return each.settings == settings[r]; });
    (same != all.end() ? *same : all.emplace_back(Series{settings[r], {}})).runs.push_back(runs[r]);
  }
  return all;
}

RunLogs LogsAt(const Series& series, const PlaceKey& key) {
  RunLogs logs;
  for (const Run* run : series.runs) {
    if (const auto times = run->times.find(key); times != run->times.end()) {
      logs.push_back(std::log(Mean(times->second->value())));
    }
  }
  return logs;
}

ComparedEntry EntryAt(const Series& series, const PlaceKey& key) {
  ComparedEntry entry;
  std::vector<std::string> names;
  for (const Run* run : series.runs) {
    if (const auto times = run->times.find(key); times != run->times.end()) {
      names.push_back(run->source->name());
      entry.epoch_seconds = *times->second;
    }
  }
  const RunLogs logs = LogsAt(series, key);
  entry.records = JoinAnd(names);
  entry.settings = series.settings;
  entry.runs = static_cast<uint32_t>(logs.size());
  entry.seconds = std::exp(Mean(logs));
  if (logs.size() > 1) {
    entry.epoch_seconds.clear_value();
    for (const double log : logs) {
      entry.epoch_seconds.add_value(std::exp(log));
    }
  }
  entry.mean_seconds = Mean(entry.epoch_seconds.value());
  return entry;
}

std::string NameOf(const PlaceKey& key) {
  return key.first == 0 ? absl::StrCat("batch ", key.second)
                        : absl::StrCat(CountOf(key.first, "rank"), ", batch ", key.second, " per device");
}

MeasuredOn DevicesOf(const std::vector<const Run*>& runs) {
  const bool same = std::all_of(runs.begin(), runs.end(), [&](const Run* run) {
    return CompareMachines(runs[0]->source->header, run->source->header, runs[0]->device) == SameMachine::kYes;
  });
  return same ? MeasuredOn::kSameDevice : MeasuredOn::kTwoDevices;
}

// Compares each entry with the fastest of its place.
void CompareEntries(const std::vector<Series>& all, const std::set<PlaceKey>& keys, MeasuredOn devices,
                    ComparedWork& work) {
  std::vector<std::vector<RunLogs>> programs;
  for (const Series& series : all) {
    std::vector<RunLogs>& points = programs.emplace_back();
    for (const PlaceKey& key : keys) {
      points.push_back(LogsAt(series, key));
    }
  }
  const RunSpread spread = SpreadBetweenRuns(programs);
  size_t comparisons = 0;
  for (const ComparedPlace& place : work.places) {
    comparisons += place.entries.size() - 1;
  }
  const double confidence = 1 - (1 - kConfidence) / static_cast<double>(std::max<size_t>(comparisons, 1));
  std::vector<std::vector<double>> epochs;
  for (const Series& series : all) {
    for (const Run* run : series.runs) {
      for (const auto& [place, times] : run->times) {
        epochs.emplace_back(times->value().begin(), times->value().end());
      }
    }
  }
  const double deviation = PlanningDeviation(spread, DeviationOfEpochs(epochs));
  auto key = keys.begin();
  for (ComparedPlace& place : work.places) {
    const auto logs = [&](const ComparedEntry& entry) {
      const auto series =
          std::find_if(all.begin(), all.end(), [&](const Series& each) { return each.settings == entry.settings; });
      return LogsAt(*series, *key);
    };
    place.entries[0].comparison.ratio = 1;
    for (size_t i = 1; i < place.entries.size(); ++i) {
      ComparedEntry& entry = place.entries[i];
      entry.comparison = CompareRunLogs(logs(place.entries[0]), logs(entry), spread, devices, confidence);
      entry.runs_needed = RunsNeeded(entry.comparison.ratio, deviation, devices, confidence);
    }
    ++key;
  }
}

ComparedWork Compare(const std::string& title, const std::vector<const Run*>& runs) {
  const std::vector<Series> all = ToSeries(runs);
  std::set<PlaceKey> keys;
  for (const Run* run : runs) {
    for (const auto& [key, times] : run->times) {
      keys.insert(key);
    }
  }
  ComparedWork work;
  work.title = title;
  for (const Series& series : all) {
    work.settings.push_back(series.settings);
  }
  for (const PlaceKey& key : keys) {
    ComparedPlace& place = work.places.emplace_back();
    place.name = NameOf(key);
    for (const Series& series : all) {
      if (!LogsAt(series, key).empty()) {
        place.entries.push_back(EntryAt(series, key));
      }
    }
    std::stable_sort(place.entries.begin(), place.entries.end(),
                     [](const ComparedEntry& a, const ComparedEntry& b) { return a.seconds < b.seconds; });
  }
  CompareEntries(all, keys, DevicesOf(runs), work);
  return work;
}

}  // namespace

std::vector<ComparedWork> CompareLabRuns(const LabRecords& lab) {
  const std::vector<Run> runs = RunsOf(lab);
  std::vector<std::string> titles;
  std::map<std::string, std::vector<const Run*>> by_work;
  for (const Run& run : runs) {
    if (!run.times.empty() && by_work[run.work].empty()) {
      titles.push_back(run.work);
    }
    if (!run.times.empty()) {
      by_work[run.work].push_back(&run);
    }
  }
  std::vector<ComparedWork> works;
  for (const std::string& title : titles) {
    std::set<const RecordSource*> records;
    for (const Run* run : by_work[title]) {
      records.insert(run->source);
    }
    if (records.size() > 1) {
      works.push_back(Compare(title, by_work[title]));
    }
  }
  return works;
}

}  // namespace lockstep
