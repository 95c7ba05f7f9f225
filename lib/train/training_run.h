// The epochs of one point, for measuring and for training in earnest: trained, evaluated, told, until the last one or until
// the accuracy that was wanted.
#ifndef LOCKSTEP_LIB_TRAIN_TRAINING_RUN_H_
#define LOCKSTEP_LIB_TRAIN_TRAINING_RUN_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/stall_watch.h"
#include "lib/dataset/dataset.h"
#include "lib/nn/model.h"
#include "lib/proto/sweep.pb.h"
#include "lib/train/epoch_trainer.h"
#include "lib/train/rank_group.h"
#include "lib/train/training_state.h"

namespace lockstep {

struct TrainingRunOptions {
  // Its training has warmup_epochs + repeats epochs, unless the target is reached before; its batch_size is at most the
  // number of training images.
  proto::PointOrder order;
  c10::Device device = c10::Device(c10::kCPU);
  TrainingStateFile state;      // where it is kept between epochs; it is gone on from when it is there. In a group all
                                // ranks name it, and rank 0 alone opens it
  StallWatch::Stalled stalled;  // called when nothing is done for the order's timeout
  // Called with the error of a run that fails, before anything is destroyed that it holds, and need not return: a GPU or
  // a library may wait for a rank that is stopped as it is left. May be empty.
  std::function<void(const absl::Status& error)> failed;
  RankGroup* group = nullptr;  // with whom the model is trained; null: alone. The order is this rank's

  // Who computes the steps; empty: autograd or the hand-written step, as the order says.
  std::function<absl::StatusOr<std::unique_ptr<EpochTrainer>>(const TrainerInput&)> make_trainer;
  // Called after each epoch, outside of its clock; may be empty.
  std::function<void(uint32_t epoch)> epoch_ended;
  // Called with what the epoch with marks said, if there was one; may be empty.
  std::function<void(const MarkedSteps& steps)> marked;

  // What the caller measured so far beside the point, kept with its state; and the same in a run that goes on, before its
  // first epoch. Both, or neither.
  std::function<std::string()> measured;
  std::function<absl::Status(const std::string& measured)> go_on;
};

// Trains `model`, which is on the CPU, and leaves it on the device. Fills the point's times, epochs, memory, device
// state and target. Evaluation is in none of the times but its own. Where test accuracy is evaluated and the data set
// has held-out images, the last epoch has the accuracy on these as well. A run with a schedule, or evaluated on the way,
// tells a line per epoch on stderr. Errors are EpochTrainer's, Evaluator's and
// CompleteNormalization's. Internal: no epoch was trained. Call it inside CatchTorchErrors.
//
// In a group each rank calls it. Losses and accuracies are then those of all ranks together; times, images and memory are
// this rank's own; every rank evaluates its share, with rank 0's running statistics; rank 0 alone talks, and keeps the
// state of all (group_state.h); and nothing is measured beside the epochs but their parts.
absl::Status RunTraining(const TrainingRunOptions& options, const Dataset& dataset, const std::shared_ptr<Model>& model,
                         proto::SweepPoint& point);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_TRAINING_RUN_H_
