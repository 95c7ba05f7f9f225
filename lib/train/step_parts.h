// Parts of a training step, computed from GPU timestamps at the phase boundaries (lib/fused/step_timestamps.h). Does
// not depend on CUDA.
#ifndef LOCKSTEP_LIB_TRAIN_STEP_PARTS_H_
#define LOCKSTEP_LIB_TRAIN_STEP_PARTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/proto/sweep.pb.h"
#include "lib/train/exchange_steps.h"

namespace lockstep {

// Results of an instrumented epoch.
struct InstrumentedSteps {
  proto::StepParts parts;              // only part and resolution_seconds are set; the caller sets the rest
  std::vector<double> full_seconds;    // seconds of each full step, without the time until the next step
  std::vector<ExchangeStep> exchange;  // every step, if gradients are exchanged; the caller sets it
};

// Returns the parts of the steps. `timestamps` holds (steps, kStepTimestamps) timestamps in nanoseconds; the first
// `full_steps` steps must have a full batch. The parts leave no gap: their epoch_seconds add up to the time from the
// first timestamp to the last (step_phases.h). Returns InternalError if dependent timestamps decrease, or if the table
// is incomplete.
absl::StatusOr<InstrumentedSteps> ToInstrumentedSteps(const std::vector<uint64_t>& timestamps, uint32_t full_steps);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_STEP_PARTS_H_
