// From the GPU's clock in steps whose gradients are exchanged (lib/fused/step_marks.h) to the times of each step. Knows
// nothing of CUDA.
#ifndef LOCKSTEP_LIB_TRAIN_EXCHANGE_STEPS_H_
#define LOCKSTEP_LIB_TRAIN_EXCHANGE_STEPS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

namespace lockstep {

// One range of gradients, in seconds from the start of the backward pass.
struct ExchangedRange {
  double ready_seconds = 0;   // it is final on this GPU
  double summed_seconds = 0;  // it is the sum over the ranks
};

// One step. Its lengths leave no gap: batch and forward, backward, the update and what it waits for, and what lies
// between this step and the next. A batch that was made beside the update of the step before counts to that one's
// backward pass, as what else hides sums.
struct ExchangeStep {
  double forward_seconds = 0;   // from the batch to the losses
  double backward_seconds = 0;  // to the last gradient, and the next batch
  double update_seconds = 0;    // to the last parameter, the wait for sums in it
  double between_seconds = 0;   // 0 behind the last step
  std::vector<ExchangedRange> ranges;
};

// `marks`: (steps, kStepMarks) nanoseconds; `range_marks`: (steps, kExchangeMarks), 0 where a step has no such range.
// None where no step has a range. Internal: a clock that runs backwards where one thing follows another, or no whole
// tables.
absl::StatusOr<std::vector<ExchangeStep>> ToExchangeSteps(const std::vector<uint64_t>& marks,
                                                          const std::vector<uint64_t>& range_marks);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_EXCHANGE_STEPS_H_
