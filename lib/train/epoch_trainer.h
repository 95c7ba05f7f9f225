// Trains a network epoch by epoch, whoever computes the steps: LibTorch's autograd (autograd_trainer.h) or the hand-written
// step (fused_trainer.h).
#ifndef LOCKSTEP_LIB_TRAIN_EPOCH_TRAINER_H_
#define LOCKSTEP_LIB_TRAIN_EPOCH_TRAINER_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/progress.h"
#include "lib/dataset/batch_loader.h"
#include "lib/dataset/dataset.h"
#include "lib/nn/model.h"
#include "lib/proto/sweep.pb.h"
#include "lib/train/epoch_runner.h"
#include "lib/train/rank_group.h"
#include "lib/train/step_parts.h"
#include "lib/train/training_state.h"

namespace lockstep {

// What is trained, and on what. `images` and `group` outlive the trainer.
struct TrainerInput {
  proto::TrainingSpec spec;  // has passed CheckTrainingSpec
  LoaderOptions loader;      // batch size, augmentation, tail, normalisation
  const ImageSet* images = nullptr;
  std::shared_ptr<Model> model;  // its values are where training starts
  c10::Device device = c10::Device(c10::kCPU);
  RankGroup* group = nullptr;  // with whom; null: alone. The batch size is this rank's
};

// The images that this trainer sees in an epoch: their number, the same for all ranks and epochs, and their order
// (epoch_order.h).
uint32_t ImagesOf(const TrainerInput& input);
std::vector<uint32_t> OrderOf(const TrainerInput& input, uint32_t epoch);

// Not thread-safe. After an error it is not to be used again. Make, use and destroy it inside CatchTorchErrors.
class EpochTrainer {
 public:
  virtual ~EpochTrainer() = default;

  // Trains one epoch in the order of (seed, epoch), each step at its rate (schedule.h); `progress` counts the images of all
  // epochs. ResourceExhausted: out of memory. Cancelled: a stop signal.
  virtual absl::StatusOr<EpochTimes> Train(uint32_t epoch, Progress& progress) = 0;

  // Puts into the input's model, on the device, what was learnt so far. Training may go on afterwards.
  virtual absl::Status UpdateModel() = 0;

  // All that training on depends on: SetState of another trainer with the same input, and the next epoch gives the same bits,
  // where steps are repeatable at all (--deterministic). SetState comes before the first epoch; FailedPrecondition: arrays of
  // another network or another kind of step.
  virtual absl::StatusOr<TrainingArrays> GetState() = 0;
  virtual absl::Status SetState(const TrainingArrays& arrays) = 0;

  // Trains one epoch more, with marks, and so spoils what was learnt: after the last UpdateModel and Describe. Fills the parts
  // but for perturbation. None: its steps have no marks.
  virtual absl::StatusOr<std::optional<MarkedSteps>> TrainMarked(uint32_t epoch) { return std::nullopt; }

  // Sets what the point says of how it was trained: timing method, memory predicted and taken (the peak is the larger of
  // what it says already and what was taken since the last ResetPeakMemory), and why a part has no time.
  virtual void Describe(proto::SweepPoint& point) const = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_EPOCH_TRAINER_H_
