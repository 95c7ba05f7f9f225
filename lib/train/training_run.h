// The epochs of one point, for measuring and for training in earnest: trained, evaluated, told, until the last one or until
// the accuracy that was wanted.
#ifndef LOCKSTEP_LIB_TRAIN_TRAINING_RUN_H_
#define LOCKSTEP_LIB_TRAIN_TRAINING_RUN_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lib/base/stall_watch.h"
#include "lib/dataset/batch_loader.h"
#include "lib/dataset/dataset.h"
#include "lib/nn/model.h"
#include "lib/proto/sweep.pb.h"
#include "lib/train/training_state.h"

namespace lockstep {

struct TrainingRunOptions {
  proto::TrainingSpec training;  // warmup_epochs + repeats epochs are trained, unless the target is reached before
  uint32_t batch_size = 0;       // at most as many as there are training images
  c10::Device device = c10::Device(c10::kCPU);
  bool evaluate = true;          // test accuracy after the last epoch
  uint32_t evaluate_every = 0;   // and after each so many epochs; 0: not
  TrainingStateFile state;       // where it is kept between epochs; it is gone on from when it is there
  uint32_t state_every = 1;      // epochs from one to the next, at least 1
  double target_accuracy = 0;    // of the test set, fraction; training ends when it is reached. 0: none
  absl::Duration timeout = absl::InfiniteDuration();  // `stalled` is called when nothing is done for so long
  StallWatch::Stalled stalled;
};

// Trains `model`, which is on the CPU, and leaves it on the device. Fills the point's times, epochs, memory, device
// state and target. Evaluation is in none of the times but its own. A run with a schedule, or evaluated on the way,
// tells a line per epoch on stderr. Errors are EpochTrainer's and Evaluator's. Internal: no epoch was trained. Call it
// inside CatchTorchErrors.
absl::Status RunTraining(const TrainingRunOptions& options, const Dataset& dataset, const LoaderOptions& loader,
                         const std::shared_ptr<Model>& model, proto::SweepPoint& point);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_TRAINING_RUN_H_
