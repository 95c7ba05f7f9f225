// The seam between the backward pass and the update: the backward pass says which gradients are final, in order, and a
// sink does something with them. With one GPU that is SGD itself (resnet18_update.h).
//
// With several GPUs another sink comes between: for each range it notes where `stream` is, reduces the range over all
// GPUs on a stream of its own, has the stream of its choice wait for that, and hands the range on to SGD with that
// stream in place of the first. So SGD waits for the reduction, and the backward pass for neither.
#ifndef LOCKSTEP_LIB_FUSED_GRADIENT_SINK_H_
#define LOCKSTEP_LIB_FUSED_GRADIENT_SINK_H_

#include <cuda_runtime.h>

#include <cstdint>

#include "absl/status/status.h"
#include "lib/fused/gradient_schedule.h"

namespace lockstep {

enum class GradientArray { kWeights, kNorms };

struct ReadyGradients {
  GradientArray array = GradientArray::kWeights;
  GradientRange range;
  // What is queued here from now on finds the gradients final, and nothing later in the step reads their parameters.
  cudaStream_t stream = nullptr;
  uint32_t max_multiprocessors = 0;  // that the rest of the backward pass leaves to a launch beside it; 0: all
  bool early = false;                // of the schedule's early ranges
};

// Called while a micro-batch is queued, which may be captured: so it queues, and does not wait.
class GradientSink {
 public:
  virtual ~GradientSink() = default;

  // Called for the ranges of a GradientSchedule in their order: the early ones, the rest, the norms, the stem's
  // weights. The stem's come last, on the lane `tail`, behind which the next step reads the weights: what was queued
  // elsewhere than on the streams that were named must have been joined to it when this returns.
  virtual absl::Status Ready(const ReadyGradients& ready) = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_GRADIENT_SINK_H_
