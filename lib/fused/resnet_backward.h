// Backward pass of a ResNet step, from the gradient of the last activations to the gradients of all parameters.
//
// Data gradients and batch norms form a chain on `main`, for which all other work waits. Weight gradients run
// concurrently on `side`, shortcuts on `branch` (step_streams.h). Ranges of gradients are passed to a sink
// (gradient_sink.h) as they become final, so the sink can queue the update concurrently with the rest of the pass.
#ifndef LOCKSTEP_LIB_FUSED_RESNET_BACKWARD_H_
#define LOCKSTEP_LIB_FUSED_RESNET_BACKWARD_H_

#include "absl/status/status.h"
#include "lib/fused/gradient_sink.h"
#include "lib/fused/micro_batch.h"

namespace lockstep {

// Queues the backward pass after EnqueueForward of the same micro-batch. Passes all of plan.gradients to the sink, in
// order. Before the last range, the stem's weights, joins all other streams to `main`. T: float or __nv_bfloat16.
template <typename T>
absl::Status EnqueueBackward(const MicroBatch<T>& batch, GradientSink& sink);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_RESNET_BACKWARD_H_
