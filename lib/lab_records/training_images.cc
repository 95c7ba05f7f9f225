#include "lib/lab_records/training_images.h"

namespace lockstep {
namespace {

// Returns all training images of the data set of a sweep or a scaling run; 0 if the record does not state them.
template <typename Spec>
uint64_t ImagesOf(const Spec& spec) {
  const uint64_t trained = spec.model().training_images();
  return trained == 0 ? 0 : trained + spec.training().validation_images();
}

}  // namespace

uint64_t TrainingImages(const LabRecords& lab) {
  for (const LabDataset& dataset : lab.datasets) {
    for (const proto::DatasetInfo& info : dataset.info) {
      if (info.split() == proto::TRAIN && info.image_count() > 0) {
        return info.image_count();
      }
    }
  }
  for (const LabSweep& sweep : lab.sweeps) {
    if (const uint64_t images = ImagesOf(sweep.spec); images > 0) {
      return images;
    }
  }
  for (const LabScale& scale : lab.scales) {
    if (const uint64_t images = ImagesOf(scale.spec); images > 0) {
      return images;
    }
  }
  for (const LabCommModel& comm_model : lab.comm_models) {
    if (const uint64_t images = comm_model.spec.training_images(); images > 0) {
      return images;
    }
  }
  return 0;
}

}  // namespace lockstep
