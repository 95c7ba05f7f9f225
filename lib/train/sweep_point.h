// One point of a sweep: trains one model at one batch size and measures it.
#ifndef LOCKSTEP_LIB_TRAIN_SWEEP_POINT_H_
#define LOCKSTEP_LIB_TRAIN_SWEEP_POINT_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/dataset/dataset.h"
#include "lib/proto/sweep.pb.h"
#include "lib/train/training_run.h"

namespace lockstep {

// Trains and returns a SweepPoint record and, if a checkpoint was written, a Checkpoint record. Running out of memory
// is an outcome, and so is any other failure (FAILED, with its message). Returns an error only if there is no point to
// report: CancelledError at a stop signal. Sets LibTorch's process-wide numerics, so a process must run only one point.
absl::StatusOr<proto::SweepFile> RunSweepPoint(const TrainingRunOptions& options, const Dataset& dataset);

// Returns the record of a point that an error ended: OUT_OF_MEMORY or FAILED with the reason, and no measurements.
proto::SweepFile UnfinishedPoint(uint32_t batch_size, const absl::Status& error);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_SWEEP_POINT_H_
