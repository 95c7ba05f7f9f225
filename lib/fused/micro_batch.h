// What the rooms of a ResNet-18 step (forward, backward, update) are handed: one micro-batch, which is being queued.
#ifndef LOCKSTEP_LIB_FUSED_MICRO_BATCH_H_
#define LOCKSTEP_LIB_FUSED_MICRO_BATCH_H_

#include <cuda_runtime.h>

#include <cstdint>

#include "absl/status/status.h"
#include "lib/fused/part_rooms.h"
#include "lib/fused/resnet18_buffers.h"
#include "lib/fused/resnet18_plan.h"
#include "lib/fused/resnet18_step_options.h"
#include "lib/fused/resnet18_units.h"
#include "lib/fused/step_lanes.h"
#include "lib/fused/step_mark_tables.h"
#include "lib/fused/step_marks.h"
#include "lib/fused/stream_fork.h"

namespace lockstep {

// All of it outlives the queueing; what the GPU is given of it (memory, engines, events) outlives the step.
template <typename T>
struct MicroBatch {
  const ResNet18StepOptions& options;
  const ResNet18Buffers<T>& buffers;
  const StepLanes& lanes;
  StreamFork& fork;       // reset for this micro-batch
  PartRooms& part_rooms;  // the same
  const StepMarkTables& marks;
  const BatchPlan<T>& plan;
  float share = 1;    // its images over the step's
  bool first = true;  // in its step
  bool last = true;
  const InputBatch<T>* input = nullptr;
  bool input_made = false;               // by the step before
  const InputBatch<T>* next = nullptr;   // the next step's, which this one makes; null: it does not
  cudaEvent_t weights_there = nullptr;   // behind the update of the step before; null: it is done
  cudaEvent_t update_counted = nullptr;  // behind that, and that the update's count is this step's; null: it is

  const ResNet18Units& net() const { return buffers.net; }
};

// Notes the GPU's clock when the mark's stream (step_marks.h) comes to this place. Nothing without a table of marks.
template <typename T>
absl::Status NoteClock(const MicroBatch<T>& batch, StepMark mark);

// The same when `stream` comes to this place of the `range`-th range that is exchanged. FailedPrecondition: there are
// more than kMaxRanges.
template <typename T>
absl::Status NoteClock(const MicroBatch<T>& batch, uint32_t range, RangeMark mark, cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_MICRO_BATCH_H_
