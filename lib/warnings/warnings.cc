#include "lib/warnings/warnings.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/dataset/normalization.h"
#include "lib/lab_records/network_names.h"
#include "lib/scaling/virtual_hosts_text.h"
#include "lib/warnings/machine_warnings.h"
#include "lib/warnings/repeat_command.h"
#include "lib/warnings/severity.h"
#include "lib/warnings/speedup_warnings.h"
#include "lib/wording/cell.h"
#include "lib/wording/describe.h"

namespace lockstep {
namespace {

// Returns the name of the published set that these images could be.
std::string SetName(const LabDataset& dataset) {
  const bool has_ten = dataset.info.empty() || dataset.info.front().class_name_size() == 10;
  return has_ten                                         ? "CIFAR-10"
         : dataset.info.front().class_name_size() == 100 ? "CIFAR-100"
                                                         : "images of a published set";
}

// Returns true if some record is of a network that ran on images of this lab. Published numbers are not.
bool UsesImages(const LabRecords& lab) {
  return !lab.sweeps.empty() || !lab.scales.empty() || !lab.quantized.empty() ||
         std::any_of(lab.comm_models.begin(), lab.comm_models.end(),
                     [](const LabCommModel& file) { return !file.rows.empty(); });
}

void WarnOfImages(const LabRecords& lab, std::vector<Warning>& warnings) {
  if (lab.datasets.empty() && UsesImages(lab)) {
    warnings.push_back({"images_unknown", "The images are not known: dataset.rec is not among the inputs."});
  }
  for (const LabDataset& dataset : lab.datasets) {
    std::set<std::string> notes;
    bool synthetic = false;
    for (const proto::DatasetInfo& info : dataset.info) {
      if (!info.official()) {
        notes.insert(info.note().empty() ? "no reason in the record" : info.note());
      }
      synthetic = synthetic || info.input_format() == proto::SYNTHETIC;
    }
    if (synthetic) {
      warnings.push_back(
          {"synthetic_images", absl::StrCat("SYNTHETIC IMAGES (", dataset.name(),
                                            "): times are real; losses and accuracies do not apply to CIFAR-10.")});
    } else if (!notes.empty()) {
      warnings.push_back(
          {"images_not_official",
           absl::StrCat("Not the official ", SetName(dataset), " (", dataset.name(), "): ", absl::StrJoin(notes, "; "),
                        ". Times and accuracies are not comparable with those of the whole data set.")});
    }
  }
}

void WarnOfNormalization(const LabRecords& lab, std::vector<Warning>& warnings) {
  for (const LabSweep& sweep : lab.sweeps) {
    if (sweep.spec.training().normalization().source() == kAssumedNormalization) {
      warnings.push_back({"normalization_assumed",
                          absl::StrCat("The normalization of the initial weights is assumed (", sweep.name(),
                                       "): their file does not record the mean and standard deviation of their "
                                       "training. If these differ from those of the run, the training did not continue "
                                       "the earlier one; set them by train_sweep --normalization.")});
    }
  }
  for (const LabQuantized& file : lab.quantized) {
    for (const proto::QuantizedNetwork& network : file.networks) {
      if (network.normalization_source() == kAssumedNormalization) {
        warnings.push_back(
            {"normalization_assumed",
             absl::StrCat("The normalization of ", NetworkName(lab, file, network), " is assumed (", file.name(),
                          "): its weights do not record the mean and standard deviation of their "
                          "training, so the data set's were used. If its training used others, all its "
                          "accuracies are wrong; set them by quantize --normalization.")});
      }
    }
  }
}

void WarnOfBuilds(const LabRecords& lab, std::vector<Warning>& warnings) {
  std::vector<std::string> slow, dirty, early, changed;
  for (const RecordSource* source : lab.Sources()) {
    if (source->changed > 0) {
      changed.push_back(absl::StrCat(source->name(), " (", source->changed, ")"));
    }
    const proto::Build& build = source->header.build();
    if (build.compilation_mode() != "opt") {
      slow.push_back(source->name());
    }
    if (build.git_dirty() || build.git_commit().empty() || build.git_commit() == "unknown") {
      dirty.push_back(source->name());
    }
    if (source->trailer.exit_status() != 0) {
      early.push_back(absl::StrCat(source->name(), " (exit status ", source->trailer.exit_status(), ")"));
    }
  }
  if (!changed.empty()) {
    warnings.push_back(
        {"another_checksum",
         absl::StrCat(
             "Records whose checksum differs from the one in their JSON (changed later, or by another version): ",
             absl::StrJoin(changed, ", "), ".")});
  }
  if (!slow.empty()) {
    warnings.push_back(
        {"build_not_optimised", absl::StrCat("Made by a build without optimisation: ", absl::StrJoin(slow, ", "),
                                             ". Do not use its times; build with --compilation_mode=opt.")});
  }
  if (!dirty.empty()) {
    warnings.push_back({"build_without_commit",
                        absl::StrCat("Made by a build that no commit describes (uncommitted changes, or no checkout): ",
                                     absl::StrJoin(dirty, ", "), ".")});
  }
  if (!early.empty()) {
    warnings.push_back({"not_finished", absl::StrCat("Not finished: ", absl::StrJoin(early, ", "), ".")});
  }
}

// Warns of bandwidths that were removed from the rows when they were read.
void WarnOfLinks(const LabRecords& lab, std::vector<Warning>& warnings) {
  for (const LabCommModel& file : lab.comm_models) {
    if (!file.above_link.empty()) {
      const size_t more = file.above_link.size() - 1;
      warnings.push_back({"link_peak_assumed", absl::StrCat("Bandwidths of ", file.name(),
                                                            " above the link are left blank: ", file.above_link[0],
                                                            more == 0 ? "" : absl::StrCat("; and ", more, " more"),
                                                            ". Running comm_model again removes them.")});
    }
  }
}

void WarnOfSinglesAndThrottling(const LabRecords& lab, std::vector<Warning>& warnings) {
  std::set<std::string> single, throttled, reasons;
  std::vector<std::string> commands;
  const auto count = [&](const RecordSource& source, const proto::Samples& epochs) {
    if (epochs.value_size() == 1 && single.insert(source.name()).second) {
      commands.push_back(RepeatCommand(source.header, "--repeats=5"));
    }
  };
  const auto add_throttling = [&](const RecordSource& source, const proto::DeviceState& state,
                                  const proto::DeviceWatch& watch) {
    for (const std::string& reason : state.throttle_reason()) {
      throttled.insert(source.name());
      reasons.insert(reason);
    }
    for (const proto::ThrottleCount& throttle : watch.throttle()) {
      throttled.insert(source.name());
      reasons.insert(throttle.reason());
    }
  };
  for (const LabSweep& sweep : lab.sweeps) {
    for (const proto::SweepPoint& point : sweep.points) {
      count(sweep, point.epoch_seconds());
      add_throttling(sweep, point.device_state(), point.device_watch());
    }
  }
  for (const LabScale& scale : lab.scales) {
    for (const proto::ScalePoint& point : scale.points) {
      // An experiment repeats seeds instead of epochs.
      count(scale, point.row().empty() ? point.epoch_seconds() : proto::Samples());
      for (const proto::RankFacts& rank : point.rank()) {
        add_throttling(scale, rank.device_state(), rank.device_watch());
      }
    }
  }
  if (!single.empty()) {
    warnings.push_back({"one_run_only",
                        absl::StrCat("One timed epoch only, so no spread: ", absl::StrJoin(single, ", "),
                                     ". Differences of a few per cent may be noise; measure with --repeats=5."),
                        commands});
  }
  if (!throttled.empty()) {
    warnings.push_back({"device_throttled", absl::StrCat("The device was throttled (", absl::StrJoin(reasons, ", "),
                                                         ") at points of ", absl::StrJoin(throttled, ", "), ".")});
  }
}

constexpr char kNoiseRule[] = "noisy_machine";
constexpr char kNoisyMachine[] = "Measured on a noisy machine: ";

void WarnOfNoise(const LabRecords& lab, std::vector<Warning>& warnings) {
  const auto add = [&](const std::string& where, const google::protobuf::RepeatedPtrField<std::string>& noise) {
    if (!noise.empty()) {
      warnings.push_back({kNoiseRule, absl::StrCat(kNoisyMachine, where, ": ", absl::StrJoin(noise, "; "), ".")});
    }
  };
  for (const LabSweep& sweep : lab.sweeps) {
    for (const proto::SweepPoint& point : sweep.points) {
      add(absl::StrCat(sweep.name(), ", batch ", point.batch_size()), point.noise_warning());
    }
  }
  for (const LabScale& scale : lab.scales) {
    for (const proto::ScalePoint& point : scale.points) {
      add(absl::StrCat(scale.name(), ", ", CountOf(point.ranks(), "rank"), ", batch ", point.batch_per_device(),
                       " per device"),
          point.noise_warning());
    }
  }
}

void WarnOfSums(const LabRecords& lab, std::vector<Warning>& warnings) {
  for (const LabScale& scale : lab.scales) {
    for (const proto::ScalePoint& point : scale.points) {
      if (point.has_sum_check() && point.sum_check().absent_reason().empty() && !point.sum_check().passed()) {
        warnings.push_back(
            {"sum_check_failed", absl::StrCat("SUM CHECK FAILED: ", scale.name(), ", ", CountOf(point.ranks(), "rank"),
                                              ", batch ", point.batch_per_device(),
                                              " per device: the ranks did not train on the sum of their gradients.")});
      }
    }
  }
}

// N processes on one CPU share its cores: they are ranks, not devices.
void WarnOfSharedCpu(const LabRecords& lab, std::vector<Warning>& warnings) {
  std::vector<std::string> names;
  for (const LabScale& scale : lab.scales) {
    const bool several = std::any_of(scale.points.begin(), scale.points.end(),
                                     [](const proto::ScalePoint& point) { return point.ranks() > 1; });
    if (several && scale.spec.training().device() == proto::CPU) {
      names.push_back(scale.name());
    }
  }
  if (!names.empty()) {
    warnings.push_back(
        {"shared_cpu",
         absl::StrCat("Speed-ups of ", absl::StrJoin(names, ", "),
                      " do not predict N devices: the ranks are processes or threads that share one machine's CPU.")});
  }
}

void WarnOfVirtualHosts(const LabRecords& lab, std::vector<Warning>& warnings) {
  for (const LabScale& scale : lab.scales) {
    if (const std::string hosts = VirtualHostsText(scale.spec); !hosts.empty()) {
      warnings.push_back({"virtual_hosts", absl::StrCat(scale.name(), " was measured on ", hosts,
                                                        " of one machine: its times are not times of a network.")});
    }
  }
}

// Returns true for an experiment on what is sent, which a lab on a CPU runs on few images of its own: bytes per step do
// not depend on them, and the page says that they are other images (ExperimentView::other_images).
bool MayHaveOtherInput(const LabScale& scale) { return scale.spec.experiment() == proto::WHAT_IS_SENT; }
bool MayHaveOtherInput(const RecordSource&) { return false; }

template <typename Made, typename From>
void WarnOfStrangers(const std::vector<Made>& made, const std::vector<From>& from, std::vector<Warning>& warnings) {
  for (const Made& file : made) {
    const bool known = from.empty() || MayHaveOtherInput(file) ||
                       std::any_of(from.begin(), from.end(), [&](const From& input) { return MadeFrom(file, input); });
    if (!known) {
      warnings.push_back(
          {"records_of_strangers", absl::StrCat(file.name(), " was not made from ", from.front().name(),
                                                from.size() > 1 ? " or another record of its kind" : "",
                                                " (their digests differ): the records do not belong together.")});
    }
  }
}

// Returns the comm_model records with rows. Those that only audit published tables were not made from a scale record.
std::vector<LabCommModel> WithRows(const std::vector<LabCommModel>& comm_models) {
  std::vector<LabCommModel> with_rows;
  std::copy_if(comm_models.begin(), comm_models.end(), std::back_inserter(with_rows),
               [](const LabCommModel& file) { return !file.rows.empty(); });
  return with_rows;
}

void WarnOfLeftOut(const LabRecords& lab, std::vector<Warning>& warnings) {
  for (const RecordSource* source : lab.Sources()) {
    if (source->left_out > 0) {
      warnings.push_back(
          {"records_left_out", absl::StrCat(source->name(), " has too many records for a page: the first ", kMaxOfAKind,
                                            " of each kind are shown, ", source->left_out,
                                            " are left out. To see all: report --print=", source->name(), ".")});
    }
  }
}

}  // namespace

std::vector<Warning> NamedWarnings(const LabRecords& lab) {
  std::vector<Warning> warnings;
  WarnOfImages(lab, warnings);
  WarnOfSums(lab, warnings);
  WarnOfExperiments(lab, warnings);
  WarnOfNormalization(lab, warnings);
  WarnOfSharedCpu(lab, warnings);
  WarnOfVirtualHosts(lab, warnings);
  WarnOfLeftOut(lab, warnings);
  WarnOfBuilds(lab, warnings);
  WarnOfMachines(lab, warnings);
  WarnOfBaseCases(lab, warnings);
  WarnOfLoading(lab, warnings);
  WarnOfSpeedups(lab, warnings);
  WarnOfLinks(lab, warnings);
  WarnOfSinglesAndThrottling(lab, warnings);
  WarnOfNoise(lab, warnings);
  WarnOfStrangers(lab.sweeps, lab.datasets, warnings);
  WarnOfStrangers(lab.scales, lab.datasets, warnings);
  WarnOfStrangers(lab.quantized, lab.datasets, warnings);
  WarnOfStrangers(WithRows(lab.comm_models), lab.scales, warnings);
  return warnings;
}

std::vector<std::string> Warnings(const LabRecords& lab) {
  std::vector<std::string> texts;
  for (Warning& warning : NamedWarnings(lab)) {
    texts.push_back(std::move(warning.text));
  }
  return texts;
}

std::vector<Warning> WarningsOnPage(std::vector<Warning> named) {
  std::vector<Warning> shown, noisy;
  for (Warning& warning : named) {
    (warning.rule == kNoiseRule ? noisy : shown).push_back(std::move(warning));
  }
  if (!noisy.empty()) {
    shown.push_back(noisy[0]);
  }
  if (noisy.size() > 1) {
    shown.push_back(
        {kNoiseRule, absl::StrCat(kNoisyMachine, noisy.size() - 1, noisy.size() == 2 ? " more point" : " more points",
                                  ", listed in \"Machine and conditions of each measurement\".")});
  }
  SortBySeverity(shown);
  return shown;
}

std::vector<std::string> PageWarnings(const LabRecords& lab) {
  std::vector<std::string> texts;
  for (Warning& warning : WarningsOnPage(NamedWarnings(lab))) {
    texts.push_back(std::move(warning.text));
  }
  return texts;
}

}  // namespace lockstep
