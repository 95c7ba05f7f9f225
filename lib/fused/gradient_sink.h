// GradientSink: the interface between the backward pass and the update. The backward pass reports which gradients are
// final, in order, and the sink processes them. With one GPU the sink is SGD itself (resnet_update.h).
//
// With several GPUs another sink comes in between. It reduces each range over all GPUs on a stream of its own, after
// the work queued on `stream` so far. It makes a second stream wait for the reduction, and passes the range on to SGD
// with that second stream. Hence SGD waits for the reduction, and the backward pass waits for neither.
#ifndef LOCKSTEP_LIB_FUSED_GRADIENT_SINK_H_
#define LOCKSTEP_LIB_FUSED_GRADIENT_SINK_H_

#include <cuda_runtime.h>

#include <cstdint>

#include "absl/status/status.h"
#include "lib/fused/gradient_schedule.h"

namespace lockstep {

enum class GradientArray { kWeights, kBatchNorms };

struct ReadyGradients {
  GradientArray array = GradientArray::kWeights;
  GradientRange range;
  // Stream whose work queued from now on finds the gradients final. Nothing later in the step reads their parameters.
  cudaStream_t stream = nullptr;
  uint32_t max_multiprocessors = 0;  // SMs that the rest of the backward pass leaves to a concurrent launch; 0: all
  bool early = false;                // true: one of the schedule's early ranges
};

// Receiver of final gradients. Called while a micro-batch is queued, possibly under capture. Hence a sink must only
// queue work and must not wait.
class GradientSink {
 public:
  virtual ~GradientSink() = default;

  // Processes the next range of a GradientSchedule, in this order: the early ranges, the rest, `batch_norms`, the
  // stem's weights. The stem's weights come last, on the stream `tail`, after which the next step reads the weights.
  // Before that call returns, the sink must have joined to `tail` all its work on streams that were not named in
  // ReadyGradients.
  virtual absl::Status Ready(const ReadyGradients& ready) = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_GRADIENT_SINK_H_
