#include "lib/report/report_title.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/wording/cell.h"
#include "lib/wording/describe.h"

namespace lockstep {
namespace {

constexpr size_t kMaxNamed = 2;  // models or machines; for more of them only the number is given

void AddOnce(const std::string& text, std::vector<std::string>& texts) {
  if (!text.empty() && std::find(texts.begin(), texts.end(), text) == texts.end()) {
    texts.push_back(text);
  }
}

// Returns "resnet18 and lenet5"; "5 networks".
std::string Named(const std::vector<std::string>& names, const char* several) {
  return names.size() > kMaxNamed ? absl::StrCat(names.size(), " ", several) : absl::StrJoin(names, " and ");
}

// Range of numbers: "batches 32 to 2,048", "1 to 4 devices".
class Range {
 public:
  void Add(uint32_t value) {
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  bool empty() const { return low_ > high_; }
  bool single() const { return low_ == high_; }
  std::string Text() const {
    return single() ? FormatCount(low_) : absl::StrCat(FormatCount(low_), " to ", FormatCount(high_));
  }

 private:
  uint32_t low_ = std::numeric_limits<uint32_t>::max(), high_ = 0;
};

void AddSweeps(const LabRecords& lab, std::vector<std::string>& parts) {
  Range batches;
  for (const LabSweep& sweep : lab.sweeps) {
    for (const proto::SweepPoint& point : sweep.points) {
      if (point.outcome() == proto::COMPLETED) {
        batches.Add(point.batch_size());
      }
    }
  }
  if (!batches.empty()) {
    parts.push_back(absl::StrCat(batches.single() ? "batch " : "batches ", batches.Text()));
  }
}

void AddScales(const LabRecords& lab, std::vector<std::string>& parts) {
  Range ranks;
  std::vector<std::string> experiments;
  for (const LabScale& scale : lab.scales) {
    switch (scale.spec.experiment()) {
      case proto::LARGE_BATCH:
        AddOnce("large batches", experiments);
        break;
      case proto::SAMPLER_EPOCH:
        AddOnce("the sampler's epoch", experiments);
        break;
      case proto::WHAT_IS_SENT:
        AddOnce("what is sent", experiments);
        break;
      default:
        for (const proto::ScalePoint& point : scale.points) {
          ranks.Add(point.ranks());
        }
    }
  }
  if (!ranks.empty()) {
    parts.push_back(absl::StrCat(ranks.Text(), ranks.Text() == "1" ? " device" : " devices"));
  }
  parts.insert(parts.end(), experiments.begin(), experiments.end());
}

// Returns "Training resnet18 on 2 x NVIDIA H200: ..."; empty if nothing was trained.
std::string TrainingTitle(const LabRecords& lab) {
  std::vector<std::string> models, machines, parts;
  for (const LabScale& scale : lab.scales) {
    AddOnce(scale.spec.training().model(), models);
    AddOnce(DescribeDevices(scale.header), machines);
  }
  for (const LabSweep& sweep : lab.sweeps) {
    AddOnce(sweep.spec.training().model(), models);
    if (lab.scales.empty()) {  // otherwise the sweep ran on one of the same devices
      AddOnce(DescribeDevices(sweep.header), machines);
    }
  }
  if (machines.empty()) {
    return "";
  }
  AddSweeps(lab, parts);
  AddScales(lab, parts);
  return absl::StrCat("Training ", Named(models, "networks"), " on ", Named(machines, "kinds of devices"),
                      parts.empty() ? "" : ": ", absl::StrJoin(parts, ", "));
}

std::string Int8Title(const LabRecords& lab) {
  std::vector<std::string> networks;
  for (const LabQuantized& file : lab.quantized) {
    for (const proto::QuantizedNetwork& network : file.networks) {
      AddOnce(network.name(), networks);
    }
  }
  return networks.empty() ? "" : absl::StrCat(Named(networks, "networks"), " in int8");
}

}  // namespace

std::string ReportTitle(const LabRecords& lab) {
  std::vector<std::string> titles;
  for (const std::string& title : {TrainingTitle(lab), Int8Title(lab)}) {
    if (!title.empty()) {
      titles.push_back(title);
    }
  }
  if (titles.empty()) {
    return lab.comm_models.empty() ? "Lockstep report" : "Lockstep report on measured and published times";
  }
  return absl::StrJoin(titles, "; ");
}

}  // namespace lockstep
