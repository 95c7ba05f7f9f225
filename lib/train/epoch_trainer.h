// Interface that trains a network epoch by epoch. Implementations: LibTorch's autograd (autograd_trainer.h) and the
// fused step (fused_trainer.h).
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
#include "lib/train/evaluate.h"
#include "lib/train/rank_group.h"
#include "lib/train/step_parts.h"
#include "lib/train/training_state.h"

namespace lockstep {

// Share of a set of images that a trainer evaluates by its own forward pass.
struct EvaluatedImages {
  const ImageSet* images = nullptr;
  EvaluationShare share;
  bool mirrored = false;  // true: also counts by the mean of the logits of each image and its mirror image
};

// Inputs of a trainer. `images`, the sets of `evaluated` and `group` must outlive the trainer.
struct TrainerInput {
  proto::TrainingSpec spec;  // must have passed CheckTrainingSpec
  LoaderOptions loader;      // batch size, augmentation, drop_last, normalization
  const ImageSet* images = nullptr;
  std::shared_ptr<Model> model;  // its values are the initial weights
  c10::Device device = c10::Device(c10::kCPU);
  RankGroup* group = nullptr;              // ranks that train together; null: a single rank. The batch size is per rank
  std::vector<EvaluatedImages> evaluated;  // sets that CountCorrect() takes by their positions here; none may be empty
};

// Number and order of the images that this trainer sees in an epoch (epoch_order.h). The number is the same for all
// ranks and epochs.
uint32_t ImagesOf(const TrainerInput& input);
std::vector<uint32_t> OrderOf(const TrainerInput& input, uint32_t epoch);

// Not thread-safe. Must not be used after an error. Must be created, used and destroyed inside CatchTorchErrors.
class EpochTrainer {
 public:
  virtual ~EpochTrainer() = default;

  // Trains one epoch in the order of (seed, epoch), each step at its scheduled learning rate (schedule.h). `progress`
  // counts the images of all epochs. Returns ResourceExhaustedError if memory runs out, CancelledError at a stop
  // signal.
  virtual absl::StatusOr<EpochTimes> Train(uint32_t epoch, Progress& progress) = 0;

  // Copies the trained values into the input's model, on the device. Training may continue afterwards.
  virtual absl::Status UpdateModel() = 0;

  // Counts the correctly classified images of a set of the input by the trainer's own forward pass in eval mode, with
  // the trained weights. In a group of several ranks, running statistics are read from the input's model, which
  // UpdateModel() must have updated before and which may have another rank's statistics since. Training may continue
  // afterwards. Returns UnimplementedError if the trainer has no such forward pass, CancelledError at a stop signal.
  virtual absl::StatusOr<CorrectCounts> CountCorrect(size_t set) {
    return absl::UnimplementedError("this kind of step has no evaluation of its own");
  }

  // GetState() returns everything that further training depends on. If SetState() of another trainer with the same
  // input gets these arrays, its next epoch gives the same bits, provided that steps are repeatable at all
  // (--deterministic). SetState() must be called before the first epoch. It returns FailedPreconditionError for arrays
  // of another network or another kind of step.
  virtual absl::StatusOr<TrainingArrays> GetState() = 0;
  virtual absl::Status SetState(const TrainingArrays& arrays) = 0;

  // Trains one more epoch, instrumented with timestamps, and returns the times of a step's parts without their
  // perturbation. Returns nullopt if this trainer's steps have no timestamps. Changes the trained values, so it must be
  // called after the last UpdateModel() and Describe().
  virtual absl::StatusOr<std::optional<InstrumentedSteps>> TrainInstrumented(uint32_t epoch) { return std::nullopt; }

  // Fills the fields of the point that describe its training: timing method, predicted and peak memory, and why a phase
  // has no time. The peak becomes the larger of the point's value and the peak since the last ResetPeakMemory.
  virtual void Describe(proto::SweepPoint& point) const = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_EPOCH_TRAINER_H_
