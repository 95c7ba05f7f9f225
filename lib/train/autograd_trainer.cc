#include "lib/train/autograd_trainer.h"

#include <algorithm>

#include "lib/base/status_macros.h"
#include "lib/cifar/sampler.h"
#include "lib/nn/device.h"
#include "lib/train/schedule.h"
#include "lib/train/train_step.h"

namespace lockstep {
namespace {

class AutogradTrainer : public EpochTrainer {
 public:
  explicit AutogradTrainer(const TrainerInput& input)
      : spec_(input.spec), step_(input.model, input.spec, input.device), loader_(*input.images, input.loader),
        images_(static_cast<uint32_t>(input.images->size())) {}

  absl::StatusOr<EpochTimes> Train(uint32_t epoch, Progress& progress) override {
    const uint32_t steps = loader_.BatchCount();
    return RunEpoch(step_, loader_, epoch, EpochOrder(images_, spec_.seed(), epoch), nullptr, &progress,
                    uint64_t{epoch} * images_,
                    [&](uint32_t step) { return LearningRateOf(spec_, steps, epoch, step); });
  }

  absl::Status UpdateModel() override { return absl::OkStatus(); }  // it is the one that is trained

  void Describe(proto::SweepPoint& point) const override {
    point.set_timing_method(step_.TimingMethod());
    point.set_peak_memory_bytes(std::max(point.peak_memory_bytes(), PeakMemoryBytes(step_.device())));
  }

 private:
  const proto::TrainingSpec spec_;
  TrainStep step_;
  BatchLoader loader_;
  const uint32_t images_;
};

}  // namespace

std::unique_ptr<EpochTrainer> MakeAutogradTrainer(const TrainerInput& input) {
  return std::make_unique<AutogradTrainer>(input);
}

}  // namespace lockstep
