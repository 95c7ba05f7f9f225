// Step times computed from GPU timestamps (lib/fused/step_timestamps.h), for steps that exchange gradients. Does not
// depend on CUDA.
#ifndef LOCKSTEP_LIB_TRAIN_EXCHANGE_STEPS_H_
#define LOCKSTEP_LIB_TRAIN_EXCHANGE_STEPS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

namespace lockstep {

// Times of one gradient range, in seconds from the start of the backward pass.
struct ExchangedRange {
  double ready_seconds = 0;   // time at which the range is final on this GPU
  double summed_seconds = 0;  // time at which the range holds the sum over the ranks
};

// Times of one step. The four durations leave no gap: batch and forward, backward, update with its waits, and the time
// between this step and the next. A batch that is made while the previous step is still updating counts towards the
// backward pass of that previous step, like other work that hides communication.
struct ExchangeStep {
  double forward_seconds = 0;   // time from the start of the batch to the losses
  double backward_seconds = 0;  // time to the last gradient, and the next batch if it overlaps the update
  double update_seconds = 0;    // time to the last parameter, including the wait for sums
  double between_seconds = 0;   // 0 for the last step
  std::vector<ExchangedRange> ranges;
};

// Returns the times of each step, or an empty vector if no step has a range. `timestamps` holds (steps,
// kStepTimestamps) and `range_timestamps` (steps, kExchangeTimestamps) timestamps in nanoseconds; a range that a step
// does not have is 0. Returns InternalError if dependent timestamps decrease or a table is incomplete.
absl::StatusOr<std::vector<ExchangeStep>> ToExchangeSteps(const std::vector<uint64_t>& timestamps,
                                                          const std::vector<uint64_t>& range_timestamps);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_EXCHANGE_STEPS_H_
