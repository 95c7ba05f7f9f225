// Parts of a training step, computed from GPU timestamps at the phase boundaries (lib/fused/step_marks.h). Does not
// depend on CUDA.
#ifndef LOCKSTEP_LIB_TRAIN_STEP_PARTS_H_
#define LOCKSTEP_LIB_TRAIN_STEP_PARTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/proto/sweep.pb.h"
#include "lib/train/exchange_steps.h"

namespace lockstep {

// Results of an instrumented epoch.
struct MarkedSteps {
  proto::StepParts parts;              // only part and resolution_seconds are set; the caller sets the rest
  std::vector<double> full_seconds;    // seconds of each full step, without the time until the next step
  std::vector<ExchangeStep> exchange;  // every step, if gradients are exchanged; the caller sets it
};

// Returns the parts of the steps. `marks` holds (steps, kStepMarks) timestamps in nanoseconds; the first `full_steps`
// steps must have a full batch. The parts leave no gap: their epoch_seconds add up to the time from the first timestamp
// to the last (step_seams.h). Returns InternalError if dependent timestamps decrease, or if the table is incomplete.
absl::StatusOr<MarkedSteps> ToMarkedSteps(const std::vector<uint64_t>& marks, uint32_t full_steps);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_STEP_PARTS_H_
