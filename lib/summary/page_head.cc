#include "lib/summary/page_head.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/lab_records/experiment_view.h"
#include "lib/networks/networks.h"
#include "lib/summary/card_text.h"
#include "lib/summary/lab_runs.h"
#include "lib/wording/cell.h"
#include "lib/wording/claim.h"
#include "lib/wording/describe.h"

namespace lockstep {
namespace {

constexpr size_t kMaxWords = 5;
constexpr size_t kMaxNamed = 2;  // names in a title; of more only the number is given

using Names = std::vector<std::string>;

void AddOnce(const std::string& text, Names& texts) {
  if (!text.empty() && std::find(texts.begin(), texts.end(), text) == texts.end()) {
    texts.push_back(text);
  }
}

size_t WordsIn(const std::string& text) {
  return std::vector<std::string>(absl::StrSplit(text, ' ', absl::SkipEmpty())).size();
}

// Networks and devices of a page. Sweeps count only if no scale record was made: they also train what int8 needs.
struct Trained {
  Names models;
  Names devices;
};

Trained TrainedOf(const LabRecords& lab) {
  Trained trained;
  for (const LabScale& scale : lab.scales) {
    AddOnce(ModelTitle(scale.spec.training().model()), trained.models);
    AddOnce(ShortDevice(scale.header), trained.devices);
  }
  for (const LabSweep& sweep : lab.sweeps) {
    if (lab.scales.empty()) {
      AddOnce(ModelTitle(sweep.spec.training().model()), trained.models);
    }
    AddOnce(ShortDevice(sweep.header), trained.devices);
  }
  return trained;
}

std::string Named(const Names& names, absl::string_view several) {
  return names.size() > kMaxNamed ? absl::StrCat(names.size(), " ", several) : absl::StrJoin(names, " and ");
}

Names QuantizedModels(const LabRecords& lab) {
  Names models;
  for (const LabQuantized& file : lab.quantized) {
    for (const proto::QuantizedNetwork& network : file.networks) {
      AddOnce(ModelTitle(network.name()), models);
    }
  }
  return models;
}

// Smallest and largest of some counts.
class CountRange {
 public:
  void Add(uint64_t count) { counts_.insert(count); }
  bool empty() const { return counts_.empty(); }
  bool IsOne() const { return counts_.size() == 1 && *counts_.begin() == 1; }
  std::string Text() const {
    return counts_.size() == 1 ? FormatCount(*counts_.begin())
                               : absl::StrCat(FormatCount(*counts_.begin()), " to ", FormatCount(*counts_.rbegin()));
  }

 private:
  std::set<uint64_t> counts_;
};

// Returns "1 to 4 GPUs", "1 to 2 ranks on a CPU", "1 GPU".
std::string DeviceCounts(const LabRecords& lab) {
  CountRange ranks;
  bool on_cpu = false;
  for (const LabScale& scale : lab.scales) {
    for (const proto::ScalePoint& point : scale.points) {
      ranks.Add(point.ranks());
    }
    on_cpu = on_cpu || scale.spec.training().device() == proto::CPU;
  }
  for (const LabSweep& sweep : lab.sweeps) {
    ranks.Add(1);
    on_cpu = on_cpu || sweep.spec.training().device() == proto::CPU;
  }
  if (ranks.empty()) {
    return "";
  }
  return on_cpu ? ranks.IsOne() ? "One CPU" : absl::StrCat(ranks.Text(), " ranks on a CPU")
                : absl::StrCat(ranks.Text(), ranks.IsOne() ? " GPU" : " GPUs");
}

Names Topics(const LabRecords& lab) {
  Names topics;
  if (!lab.sweeps.empty()) {
    AddOnce("batch size", topics);
  }
  for (const LabScale& scale : lab.scales) {
    switch (scale.spec.experiment()) {
      case proto::LARGE_BATCH:
        AddOnce("large batches", topics);
        break;
      case proto::SAMPLER_EPOCH:
        AddOnce("the sampler", topics);
        break;
      case proto::WHAT_IS_SENT:
        AddOnce("what is sent", topics);
        break;
      case proto::OPTIMIZERS:
        AddOnce("optimizers", topics);
        break;
      default:
        AddOnce("scaling", topics);
        AddOnce("communication", topics);
    }
  }
  if (!lab.quantized.empty()) {
    AddOnce("int8", topics);
  }
  return topics;
}

// Returns true for folders of pictures that do not have CIFAR-10's classes and size.
bool IsOwnSet(const proto::DatasetInfo& info) {
  return info.input_format() == proto::IMAGE_FOLDERS &&
         (info.class_name_size() != 10 || info.class_name(0) != "airplane" || info.height() != 32 ||
          info.width() != 32);
}

std::string DatasetBadge(const LabRecords& lab) {
  for (const LabDataset& dataset : lab.datasets) {
    for (const proto::DatasetInfo& info : dataset.info) {
      const bool is_cifar100 =
          info.input_format() == proto::CIFAR100_BINARY || info.input_format() == proto::CIFAR100_PYTHON;
      const std::string set = is_cifar100 ? "CIFAR-100" : "CIFAR-10";
      return info.input_format() == proto::SYNTHETIC ? "synthetic images"
             : IsOwnSet(info)  ? absl::StrCat("own images of ", info.class_name_size(), " classes")
             : info.official() ? set
                               : absl::StrCat(set, ", not the official files");
    }
  }
  return "";
}

}  // namespace

std::string ReportTitle(const LabRecords& lab) {
  const Trained trained = TrainedOf(lab);
  const Names quantized = QuantizedModels(lab);
  if (trained.models.empty() && trained.devices.empty()) {
    return quantized.empty() ? lab.comm_models.empty() ? "Lockstep report" : "Measured and published times"
                             : absl::StrCat(Named(quantized, "networks"), " in int8");
  }
  const std::string devices = Named(trained.devices, "kinds of devices");
  for (const std::string& title :
       {absl::StrCat(Named(trained.models, "networks"), " on ", devices), absl::StrCat("Training on ", devices)}) {
    if (WordsIn(title) <= kMaxWords) {
      return title;
    }
  }
  return absl::StrCat("Training on ", trained.devices.size(),
                      trained.devices.size() == 1 ? " device" : " kinds of devices");
}

std::string ReportScope(const LabRecords& lab) {
  const std::string devices = DeviceCounts(lab), topics = JoinAnd(Topics(lab)), dates = DatesText(lab);
  const std::string what = absl::StrCat(devices, devices.empty() || topics.empty() ? "" : ": ",
                                        devices.empty() ? Capitalized(topics) : topics);
  return absl::StrCat(what, what.empty() ? "" : ".", what.empty() || dates.empty() ? "" : " ",
                      dates.empty() ? "" : absl::StrCat("Measured ", dates, "."));
}

std::vector<std::string> Badges(const LabRecords& lab) {
  CountRange images, repeats, seeds;
  Names precisions;
  for (const LabSweep& sweep : lab.sweeps) {
    AddOnce(DescribePrecision(sweep.spec.training().precision()), precisions);
    for (const proto::SweepPoint& point : sweep.points) {
      if (point.outcome() == proto::COMPLETED) {
        images.Add(point.images_per_epoch());
        repeats.Add(static_cast<uint64_t>(point.step_seconds().value_size()));
      }
    }
  }
  for (const LabScale& scale : lab.scales) {
    AddOnce(DescribePrecision(scale.spec.training().precision()), precisions);
    for (const proto::ScalePoint& point : scale.points) {
      if (point.outcome() == proto::COMPLETED && point.row().empty()) {
        images.Add(point.images_per_epoch());
        repeats.Add(static_cast<uint64_t>(point.epoch_seconds().value_size()));
      }
    }
    if (scale.spec.experiment() != proto::EXPERIMENT_UNSPECIFIED) {
      seeds.Add(scale.spec.seeds());
    }
  }
  std::vector<std::string> badges;
  AddOnce(DatasetBadge(lab), badges);
  AddOnce(images.empty() ? "" : absl::StrCat(images.Text(), " images per epoch"), badges);
  AddOnce(JoinAnd(precisions), badges);
  AddOnce(repeats.empty()
              ? ""
              : absl::StrCat(repeats.Text(), repeats.IsOne() ? " timed epoch" : " timed epochs", " per point"),
          badges);
  AddOnce(seeds.empty() ? "" : absl::StrCat(seeds.Text(), seeds.IsOne() ? " seed" : " seeds", " per row"), badges);
  return badges;
}

}  // namespace lockstep
