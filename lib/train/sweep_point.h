// One point of a sweep: one model trained at one batch size, measured.
#ifndef LOCKSTEP_LIB_TRAIN_SWEEP_POINT_H_
#define LOCKSTEP_LIB_TRAIN_SWEEP_POINT_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/dataset/dataset.h"
#include "lib/proto/sweep.pb.h"
#include "lib/train/training_run.h"

namespace lockstep {

// Trains and returns a SweepPoint record and, when a checkpoint was written, a Checkpoint record. Running out of memory is
// an outcome, as is any other failure (FAILED, with its message); an error is returned only when there is no point to
// report: Cancelled at a stop signal. Sets LibTorch's process-wide numerics: one point per process.
absl::StatusOr<proto::SweepFile> RunSweepPoint(const TrainingRunOptions& options, const Dataset& dataset);

// The record of a point that an error ended: OUT_OF_MEMORY or FAILED, why, and nothing measured.
proto::SweepFile UnfinishedPoint(uint32_t batch_size, const absl::Status& error);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_SWEEP_POINT_H_
