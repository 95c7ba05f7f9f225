#include "lib/lab_records/dataset_facts.h"

#include <algorithm>
#include <string>
#include <vector>

#include "lib/base/path.h"

namespace lockstep {
namespace {

// Returns the facts about the data set of a sweep or a scaling run; training_images is 0 if the record does not state
// them.
template <typename Spec>
DatasetFacts FactsOfRun(const Spec& spec) {
  const proto::ModelFacts& model = spec.model();
  const uint64_t trained = model.training_images();
  return {trained == 0 ? 0 : trained + spec.training().validation_images(), model.classes(), model.height(),
          model.width()};
}

bool OnlyCpu(const LabRecords& lab) {
  const auto on_cpu = [](const auto& run) { return run.spec.training().device() == proto::CPU; };
  return lab.sweeps.size() + lab.scales.size() > 0 && std::all_of(lab.sweeps.begin(), lab.sweeps.end(), on_cpu) &&
         std::all_of(lab.scales.begin(), lab.scales.end(), on_cpu);
}

// Returns the folder of the first scaling run, sweep or data set that was read from a file; empty for the current one.
std::string FolderOfRecords(const LabRecords& lab) {
  std::vector<std::string> paths;
  const auto add = [&](const auto& records) {
    for (const auto& record : records) {
      paths.push_back(record.input.path());
    }
  };
  add(lab.scales);
  add(lab.sweeps);
  add(lab.datasets);
  for (const std::string& path : paths) {
    if (!path.empty() && path != "-") {
      const std::string folder = FolderOf(path);
      return folder == "." ? "" : folder;
    }
  }
  return "";
}

// Returns the facts without `only_cpu`, `path` and `folder`.
DatasetFacts FactsOfImages(const LabRecords& lab) {
  for (const LabDataset& dataset : lab.datasets) {
    for (const proto::DatasetInfo& info : dataset.info) {
      if (info.split() == proto::TRAIN && info.image_count() > 0) {
        return {info.image_count(), static_cast<uint32_t>(info.class_name_size()), info.height(), info.width()};
      }
    }
  }
  for (const LabSweep& sweep : lab.sweeps) {
    if (const DatasetFacts facts = FactsOfRun(sweep.spec); facts.training_images > 0) {
      return facts;
    }
  }
  for (const LabScale& scale : lab.scales) {
    if (const DatasetFacts facts = FactsOfRun(scale.spec); facts.training_images > 0) {
      return facts;
    }
  }
  for (const LabCommModel& comm_model : lab.comm_models) {
    if (const uint64_t images = comm_model.spec.training_images(); images > 0) {
      return {images};
    }
  }
  return {};
}

}  // namespace

DatasetFacts FactsOfDataset(const LabRecords& lab) {
  DatasetFacts facts = FactsOfImages(lab);
  facts.only_cpu = OnlyCpu(lab);
  if (!lab.datasets.empty() && lab.datasets.front().input.path() != "-") {
    facts.path = lab.datasets.front().input.path();
  }
  facts.folder = FolderOfRecords(lab);
  return facts;
}

}  // namespace lockstep
