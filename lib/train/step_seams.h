// What the main stream does in each step, by the GPU's clock at the step's seams (lib/fused/step_marks.h). Knows nothing
// of CUDA.
#ifndef LOCKSTEP_LIB_TRAIN_STEP_SEAMS_H_
#define LOCKSTEP_LIB_TRAIN_STEP_SEAMS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

namespace lockstep {

// Nanoseconds, which leave no gap between the first step's begin and the last one's end. The update of a step may run
// beside the next one's batch; then `update` is what is left of it when that is made. A batch that the step before made
// takes no time here.
struct StepSeams {
  uint64_t batch = 0;
  uint64_t forward = 0;
  uint64_t backward = 0;
  uint64_t join = 0;          // for what runs beside the backward pass
  uint64_t update = 0;        // the step waits for it, and for what it waits for
  uint64_t between = 0;       // to the next step's begin; 0 behind the last one
  bool batch_beside = false;  // the batch was begun before the last step's update had ended
};

// `marks`: (steps, kStepMarks) nanoseconds. Internal: a clock that runs backwards where one thing follows another, or no
// whole table.
absl::StatusOr<std::vector<StepSeams>> ToStepSeams(const std::vector<uint64_t>& marks);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_STEP_SEAMS_H_
