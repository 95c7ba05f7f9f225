// The backward pass of a ResNet-18 step, from the gradient of the last activations to those of all parameters.
//
// Data gradients and batch norms are a chain on main, which all else waits for; weight gradients run beside it on side,
// shortcuts on branch (step_lanes.h). As ranges of the gradients become final they are handed to a sink
// (gradient_sink.h), which so comes to queue the update beside the rest of the pass.
#ifndef LOCKSTEP_LIB_FUSED_RESNET18_BACKWARD_H_
#define LOCKSTEP_LIB_FUSED_RESNET18_BACKWARD_H_

#include "absl/status/status.h"
#include "lib/fused/gradient_sink.h"
#include "lib/fused/micro_batch.h"

namespace lockstep {

// Queues it behind EnqueueForward of the same micro-batch. All of plan.gradients goes to the sink, in order; before the
// last range, the stem's weights on main, all other lanes have been joined to main. T: float or __nv_bfloat16.
template <typename T>
absl::Status EnqueueBackward(const MicroBatch<T>& batch, GradientSink& sink);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_RESNET18_BACKWARD_H_
