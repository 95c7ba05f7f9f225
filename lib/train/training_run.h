// Runs the epochs of one point, for measurement and for real training: trains, evaluates and logs until the last epoch
// or until the target accuracy is reached.
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
  // Order of the point, for this rank. Trains warmup_epochs + repeats epochs, unless the target is reached earlier;
  // batch_size must be at most the number of training images.
  proto::PointOrder order;
  c10::Device device = c10::Device(c10::kCPU);
  TrainingStateFile state;      // file of the state between epochs; training resumes from it if it exists. All ranks of
                                // a group must name it; only rank 0 opens it
  StallWatch::Stalled stalled;  // called if nothing is done for the order's timeout
  // Called with the error of a run that fails, before any of its resources is destroyed; may be empty. It need not
  // return, because destroying them could block: a GPU or a library may wait for a rank that has stopped.
  std::function<void(const absl::Status& error)> failed;
  RankGroup* group = nullptr;  // ranks that train the model together; null: a single rank

  // Makes the trainer that computes the steps; empty: the autograd or fused trainer, by the order.
  std::function<absl::StatusOr<std::unique_ptr<EpochTrainer>>(const TrainerInput&)> make_trainer;
  // Called after each epoch, outside its timed part; may be empty.
  std::function<void(uint32_t epoch)> epoch_ended;
  // Called with the results of the instrumented epoch, if there was one; may be empty.
  std::function<void(const InstrumentedSteps& steps)> instrumented;

  // `measured` returns the caller's additional measurements, which are stored with the state. A resumed run passes them
  // to `resume` before its first epoch. Both must be set, or neither.
  std::function<std::string()> measured;
  std::function<absl::Status(const std::string& measured)> resume;
};

// Trains `model`, which must be on the CPU, and leaves it on the device. Fills the point's times, epochs, memory,
// device state and target. No time but its own includes the evaluation. If test accuracy is evaluated and the data set
// has held-out images, the last epoch also has the accuracy on these. A run with a schedule, or with evaluation between
// epochs, logs a line per epoch on stderr. Returns the errors of EpochTrainer, Evaluator and CompleteNormalization, and
// InternalError if no epoch was trained. Must be called inside CatchTorchErrors.
//
// In a group, each rank must call it:
// - Losses and accuracies are those of all ranks together. Times, images and memory are this rank's.
// - Every rank evaluates its share, with rank 0's running statistics.
// - Only rank 0 logs, and it stores the state of all ranks (group_state.h).
// - Apart from the epochs, only the parts of their steps are measured.
absl::Status RunTraining(const TrainingRunOptions& options, const Dataset& dataset, const std::shared_ptr<Model>& model,
                         proto::SweepPoint& point);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_TRAINING_RUN_H_
