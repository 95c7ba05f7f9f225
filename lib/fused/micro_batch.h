// MicroBatch: the arguments of the forward pass, the backward pass and the update for the micro-batch being queued.
#ifndef LOCKSTEP_LIB_FUSED_MICRO_BATCH_H_
#define LOCKSTEP_LIB_FUSED_MICRO_BATCH_H_

#include <cuda_runtime.h>

#include <cstdint>

#include "absl/status/status.h"
#include "lib/fused/partial_buffers.h"
#include "lib/fused/resnet_buffers.h"
#include "lib/fused/resnet_plan.h"
#include "lib/fused/resnet_step_options.h"
#include "lib/fused/resnet_units.h"
#include "lib/fused/step_streams.h"
#include "lib/fused/step_timestamp_tables.h"
#include "lib/fused/step_timestamps.h"
#include "lib/fused/stream_fork.h"

namespace lockstep {

// All members must outlive the queueing. Those that the GPU uses (memory, engines, events) must outlive the step.
template <typename T>
struct MicroBatch {
  const ResNetStepOptions& options;
  const ResNetBuffers<T>& buffers;
  const StepStreams& streams;
  StreamFork& fork;                 // reset for this micro-batch
  PartialBuffers& partial_buffers;  // reset for this micro-batch
  const StepTimestampTables& timestamp_tables;
  const BatchPlan<T>& plan;
  float share = 1;    // images of this micro-batch / images of the step
  bool first = true;  // first micro-batch of its step
  bool last = true;
  const InputBatch<T>* input = nullptr;
  bool input_made = false;               // true: the step before has made `input`
  const InputBatch<T>* next = nullptr;   // input of the next step, to be made during this step; null: not to be made
  cudaEvent_t weights_there = nullptr;   // event after the previous step's weight update; null: already done
  cudaEvent_t update_counted = nullptr;  // event after `weights_there`, when state.update_step is this step's; null:
                                         // already done

  const ResNetUnits& net() const { return buffers.net; }
};

// Records the GPU's clock when the timestamp's stream (step_timestamps.h) reaches this point. Does nothing without a
// table.
template <typename T>
absl::Status RecordTimestamp(const MicroBatch<T>& batch, StepTimestamp timestamp);

// Records the GPU's clock when `stream` reaches this point of the `range`-th exchanged range. Returns
// FailedPreconditionError if `range` is not below kMaxRanges.
template <typename T>
absl::Status RecordTimestamp(const MicroBatch<T>& batch, uint32_t range, RangeTimestamp timestamp, cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_MICRO_BATCH_H_
