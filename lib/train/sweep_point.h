// One point of a sweep: one model trained at one batch size, measured.
#ifndef LOCKSTEP_LIB_TRAIN_SWEEP_POINT_H_
#define LOCKSTEP_LIB_TRAIN_SWEEP_POINT_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <string>

#include "lib/cifar/dataset.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

struct SweepPointOptions {
  proto::TrainingSpec training;  // warmup_epochs + repeats epochs are trained
  uint32_t batch_size = 0;       // at most as many as there are training images
  c10::Device device = c10::Device(c10::kCPU);
  bool evaluate = true;          // test accuracy after the last epoch, untimed; a checkpoint always has one
  std::string checkpoint_path;   // the weights after the last epoch; empty: not kept
};

// Trains and returns a SweepPoint record and, when a checkpoint was written, a Checkpoint record. Running out of memory is
// an outcome, as is any other failure (FAILED, with its message); an error is returned only when there is no point to
// report: Cancelled at a stop signal. Sets LibTorch's process-wide numerics: one point per process.
absl::StatusOr<proto::SweepFile> RunSweepPoint(const SweepPointOptions& options, const Dataset& dataset);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_SWEEP_POINT_H_
