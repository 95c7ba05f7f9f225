#include "lib/warnings/machine_warnings.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/scaling/base_cases.h"
#include "lib/scaling/run_conditions.h"
#include "lib/statistics/mean.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

// Record of a measurement. Such records are grouped by machine: a record joins a group if it is known to be from the
// machine of one of the group's records, or if both machines are unknown and the names are equal.
struct MeasuredFile {
  const RecordSource* source;
  proto::DeviceKind device;
};

bool SameNames(const proto::Header& a, const proto::Header& b) {
  const auto device_name = [](const proto::Header& header) {
    return header.device().empty() ? "" : header.device(0).name();
  };
  return a.host().cpu_model() == b.host().cpu_model() && device_name(a) == device_name(b);
}

bool OnOneMachine(const MeasuredFile& a, const MeasuredFile& b) {
  const proto::Header &first = a.source->header, &second = b.source->header;
  if (a.device != b.device) {
    return first.host().name_sha256() == second.host().name_sha256() && SameNames(first, second);
  }
  // A run on several GPUs includes the GPU of a sweep, but not vice versa.
  const SameMachine there = CompareMachines(first, second, a.device), back = CompareMachines(second, first, a.device);
  return there == SameMachine::kYes || back == SameMachine::kYes ||
         (there == SameMachine::kUnknown && back == SameMachine::kUnknown && SameNames(first, second));
}

// Times of one device at one batch. Points of a noisy machine are not compared, because another warning names them.
struct OneDeviceTimes {
  uint32_t batch;
  const proto::Samples* with_loading;
  const proto::Samples* without;
};

std::vector<OneDeviceTimes> TimesOfOneDevice(const LabSweep& sweep) {
  std::vector<OneDeviceTimes> times;
  for (const proto::SweepPoint& point : sweep.points) {
    if (point.noise_warning().empty()) {
      times.push_back({point.batch_size(), &point.epoch_seconds(), &point.step_seconds()});
    }
  }
  return times;
}

std::vector<OneDeviceTimes> TimesOfOneDevice(const LabScale& scale) {
  std::vector<OneDeviceTimes> times;
  for (const proto::ScalePoint& point : scale.points) {
    if (point.ranks() == 1 && point.reduction() == proto::PLAIN && point.row().empty() && !point.has_training() &&
        point.noise_warning().empty()) {
      times.push_back({point.batch_per_device(), &point.epoch_seconds(), &point.step_seconds()});
    }
  }
  return times;
}

// Allowed difference of two processes. On a GPU two processes differed by 2.5 %, and devices of one kind by up to 3 %
// (benchmarks/results/README.md); processes may share the cores of a CPU.
double SlackOf(proto::DeviceKind device) { return device == proto::CPU ? 0.25 : 0.03; }

// Time of a record that contradicts the most others.
struct Extreme {
  double seconds = 0;
  const proto::Samples* samples = nullptr;
  const RecordSource* source = nullptr;
};

// Extreme times of one device at each batch, over the records of one tool that were made under the same conditions.
struct ExtremeTimes {
  std::map<uint32_t, Extreme> with_loading;  // record whose slowest epoch is the fastest
  std::map<uint32_t, Extreme> without;       // record whose fastest epoch is the slowest
};

template <typename Records>
void AddExtremes(const Records& records, ExtremeTimes& extremes) {
  for (const OneDeviceTimes& times : TimesOfOneDevice(records)) {
    const auto &slow = times.with_loading->value(), &fast = times.without->value();
    if (!slow.empty()) {
      Extreme& extreme = extremes.with_loading[times.batch];
      const double seconds = *std::max_element(slow.begin(), slow.end());
      if (extreme.source == nullptr || seconds < extreme.seconds) {
        extreme = {seconds, times.with_loading, &records};
      }
    }
    if (!fast.empty()) {
      Extreme& extreme = extremes.without[times.batch];
      const double seconds = *std::min_element(fast.begin(), fast.end());
      if (extreme.source == nullptr || seconds > extreme.seconds) {
        extreme = {seconds, times.without, &records};
      }
    }
  }
}

// Returns a sentence on the first batch at which all epochs with data loading of a record in `with` are faster than all
// epochs without it of one in `without`, by more than the difference of two processes; empty if there is no such batch.
std::string LoadingSentence(const ExtremeTimes& with, const ExtremeTimes& without, proto::DeviceKind device) {
  for (const auto& [batch, loading] : with.with_loading) {
    const auto steps = without.without.find(batch);
    if (steps != without.without.end() && loading.seconds < (1 - SlackOf(device)) * steps->second.seconds) {
      return absl::StrCat("One device at batch ", batch, ": an epoch with data loading takes ",
                          FormatNumber(Mean(loading.samples->value())), " s (", loading.source->name(), "), without ",
                          FormatNumber(Mean(steps->second.samples->value())), " s (", steps->second.source->name(),
                          "): the conditions of the two measurements differed.");
    }
  }
  return "";
}

// Records that were made under the same conditions.
struct SameConditions {
  proto::DeviceKind device = proto::DEVICE_KIND_UNSPECIFIED;
  ExtremeTimes sweeps, scales;
};

bool HasBaseCaseOfASweep(const proto::ScalingRow& row) {
  for (const proto::Quantity* speedup : {&row.strong_speedup(), &row.weak_speedup(), &row.epoch_speedup()}) {
    if (IsOfSweep(*speedup)) {
      return true;
    }
  }
  return false;
}

bool IsInput(const RecordSource& source, const RecordSource& made) {
  const auto& inputs = made.header.input();
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](const proto::Input& input) { return input.sha256() == source.input.sha256(); });
}

}  // namespace

void WarnOfMachines(const LabRecords& lab, std::vector<Warning>& warnings) {
  std::vector<MeasuredFile> files;
  for (const LabSweep& sweep : lab.sweeps) {
    files.push_back({&sweep, sweep.spec.training().device()});
  }
  for (const LabScale& scale : lab.scales) {
    files.push_back({&scale, scale.spec.training().device()});
  }
  std::vector<std::vector<MeasuredFile>> machines;
  for (const MeasuredFile& file : files) {
    std::vector<MeasuredFile> joined = {file};
    for (std::vector<MeasuredFile>& machine : machines) {
      if (std::any_of(machine.begin(), machine.end(),
                      [&](const MeasuredFile& other) { return OnOneMachine(other, file); })) {
        joined.insert(joined.end() - 1, machine.begin(), machine.end());
        machine.clear();
      }
    }
    machines.erase(std::remove_if(machines.begin(), machines.end(),
                                  [](const std::vector<MeasuredFile>& machine) { return machine.empty(); }),
                   machines.end());
    machines.push_back(std::move(joined));
  }
  if (machines.size() < 2) {
    return;
  }
  const auto name = [](std::string* out, const MeasuredFile& file) { absl::StrAppend(out, file.source->name()); };
  const auto names = [&](std::string* out, const std::vector<MeasuredFile>& machine) {
    absl::StrAppend(out, absl::StrJoin(machine, ", ", name));
  };
  warnings.push_back(
      {"several_machines", absl::StrCat("Do not compare these records, measured on different machines or devices: ",
                                        absl::StrJoin(machines, " | ", names), ".")});
}

void WarnOfBaseCases(const LabRecords& lab, std::vector<Warning>& warnings) {
  for (const LabCommModel& file : lab.comm_models) {
    const bool borrowed = std::any_of(file.rows.begin(), file.rows.end(), HasBaseCaseOfASweep);
    for (const LabScale& scale : lab.scales) {
      for (const LabSweep& sweep : lab.sweeps) {
        if (borrowed && IsInput(scale, file) && IsInput(sweep, file) &&
            CompareMachines(scale.header, sweep.header, scale.spec.training().device()) == SameMachine::kNo) {
          warnings.push_back({"base_case_of_another_machine",
                              absl::StrCat("Speed-ups of ", file.name(), " have base cases from ", sweep.name(),
                                           ", which was measured on another machine than ", scale.name(),
                                           ". Running comm_model again removes them.")});
        }
      }
    }
  }
}

void WarnOfLoading(const LabRecords& lab, std::vector<Warning>& warnings) {
  std::map<std::string, SameConditions> all;
  const auto conditions_of = [&](const auto& records) -> SameConditions& {
    const proto::TrainingSpec& training = records.spec.training();
    SameConditions& same = all[ConditionsKey({&records.header, &records.spec.model(), &training})];
    same.device = training.device();
    return same;
  };
  for (const LabSweep& sweep : lab.sweeps) {
    AddExtremes(sweep, conditions_of(sweep).sweeps);
  }
  for (const LabScale& scale : lab.scales) {
    AddExtremes(scale, conditions_of(scale).scales);
  }
  for (const auto& [key, same] : all) {
    for (const std::string& sentence : {LoadingSentence(same.scales, same.sweeps, same.device),
                                        LoadingSentence(same.sweeps, same.scales, same.device)}) {
      if (!sentence.empty()) {
        warnings.push_back({"with_loading_faster_than_without", sentence});
      }
    }
  }
}

}  // namespace lockstep
