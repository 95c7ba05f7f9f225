// The gradients of a whole step, over all its micro-batches and ranks, and who takes them: the second seam, behind what
// adds them up (exchanged_update.h). With neither several ranks nor norms there is none: SGD itself adds micro-batches up.
#ifndef LOCKSTEP_LIB_FUSED_STEP_GRADIENTS_H_
#define LOCKSTEP_LIB_FUSED_STEP_GRADIENTS_H_

#include <cuda_bf16.h>

#include <cstdint>
#include <variant>

#include "absl/status/status.h"
#include "lib/fused/gradient_exchange.h"
#include "lib/fused/gradient_sink.h"

namespace lockstep {

// On the device. The mean over the step's images is `scale` times what lies there.
using GradientPointer = std::variant<const float*, const __nv_bfloat16*>;

struct StepGradients {
  ReadyGradients ready;      // which range, and the stream on which they are final
  GradientPointer gradient;  // of the range's first element; the ranges of an array lie in one piece
  RangeSum sum;              // parts of the gradient, for a sink that adds them up; else none
  float scale = 1;
  const float* factors =
      nullptr;  // as in SgdInput (lib/kernels/sgd.h), in the place of scale and weight decay; or null
};

// A step's last ranges where they go together: all weights that were not handed on before, and the norms.
struct TogetherGradients {
  StepGradients weights, norms;  // whose gradients are this rank's
  PeerPush push;
  uint32_t weights_range = 0, norms_range = 0;  // as NoteClock counts them
};

// Called while the last micro-batch of a step is queued, which may be captured: so it queues, and does not wait.
class StepSink {
 public:
  virtual ~StepSink() = default;

  // For each range of a GradientSchedule, in their order.
  virtual absl::Status Take(const StepGradients& gradients) = 0;

  // Whether it adds up the parts of a RangeSum, and takes ranges together; else gradients are given to it as one.
  virtual bool AddsRanks() const { return false; }
  virtual absl::Status TakeTogether(const TogetherGradients& gradients) {
    return absl::UnimplementedError("no ranges at once");
  }

  // All ranges were taken, and the lane `tail` is behind all of them.
  virtual absl::Status Finish() { return absl::OkStatus(); }
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_STEP_GRADIENTS_H_
