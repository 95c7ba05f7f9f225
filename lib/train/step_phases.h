// Durations of what the main stream does in each step, from GPU timestamps at the phase boundaries
// (lib/fused/step_timestamps.h). Does not depend on CUDA.
#ifndef LOCKSTEP_LIB_TRAIN_STEP_PHASES_H_
#define LOCKSTEP_LIB_TRAIN_STEP_PHASES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

namespace lockstep {

// Durations in nanoseconds. They leave no gap between the first step's begin and the last step's end. The update of a
// step may overlap the next step's batch; then `update` is the part of it after that batch is ready. A batch that was
// made during the previous step takes no time here.
struct StepPhases {
  uint64_t batch = 0;
  uint64_t forward = 0;
  uint64_t backward = 0;
  uint64_t join = 0;                   // wait for the streams that run parallel to the backward pass
  uint64_t update = 0;                 // wait for the update and for what the update waits for
  uint64_t between = 0;                // time until the next step's begin; 0 for the last step
  bool batch_overlaps_update = false;  // the batch was begun before the previous step's update had ended
};

// Returns the durations of each step. `timestamps` holds (steps, kStepTimestamps) timestamps in nanoseconds. Returns
// InternalError if dependent timestamps decrease, or if the table is empty or incomplete.
absl::StatusOr<std::vector<StepPhases>> ToStepPhases(const std::vector<uint64_t>& timestamps);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_STEP_PHASES_H_
