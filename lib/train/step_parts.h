// From the GPU's clock at the seams of each step (lib/fused/step_marks.h) to the parts of a step. Knows nothing of
// CUDA.
#ifndef LOCKSTEP_LIB_TRAIN_STEP_PARTS_H_
#define LOCKSTEP_LIB_TRAIN_STEP_PARTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/proto/sweep.pb.h"
#include "lib/train/exchange_steps.h"

namespace lockstep {

// What an epoch's marks say.
struct MarkedSteps {
  proto::StepParts parts;              // part and resolution_seconds; the rest is left to the caller
  std::vector<double> full_seconds;    // of each full step, without what lies between it and the next
  std::vector<ExchangeStep> exchange;  // every step, where gradients are exchanged; left to the caller
};

// `marks`: (steps, kStepMarks) nanoseconds, of which the first `full_steps` steps have a full batch. The parts leave no
// gap: their epoch_seconds add up to the time from the first mark to the last (step_seams.h). Internal: a clock that runs
// backwards, or no whole table.
absl::StatusOr<MarkedSteps> ToMarkedSteps(const std::vector<uint64_t>& marks, uint32_t full_steps);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_STEP_PARTS_H_
