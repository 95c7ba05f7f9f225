// StepSink: the interface between the sum of gradients (exchanged_update.h) and the update. It receives the gradients
// of a whole step, over all its micro-batches and ranks. It is not used if there are neither several ranks nor gradient
// norms: then SGD itself adds up micro-batches.
#ifndef LOCKSTEP_LIB_FUSED_STEP_GRADIENTS_H_
#define LOCKSTEP_LIB_FUSED_STEP_GRADIENTS_H_

#include <cuda_bf16.h>

#include <cstdint>
#include <variant>

#include "absl/status/status.h"
#include "lib/fused/addend_exchange.h"
#include "lib/fused/gradient_sink.h"

namespace lockstep {

// Device pointer. The mean over the step's images is `scale` times the values there.
using GradientPointer = std::variant<const float*, const __nv_bfloat16*>;

struct StepGradients {
  ReadyGradients ready;      // range, and the stream on which it is final
  GradientPointer gradient;  // first element of the range; the ranges of an array are contiguous
  RangeSum sum;              // addends of the gradient, for a sink that adds them up; else empty
  float scale = 1;
  // Factors that replace scale and weight decay, as in SgdInput (lib/kernels/sgd.h); or null.
  const float* factors = nullptr;
};

// Last ranges of a step where they go together: all weights that were not passed on before, and `batch_norms`.
struct TogetherGradients {
  StepGradients weights, batch_norms;  // gradients of this rank only
  PeerPush push;
  uint32_t weights_range = 0, batch_norms_range = 0;  // range indices for RecordTimestamp
};

// Receiver of a step's gradients. Called while the last micro-batch of a step is queued, possibly under capture. Hence
// a sink must only queue work and must not wait.
class StepSink {
 public:
  virtual ~StepSink() = default;

  // Processes the next range of a GradientSchedule, in its order.
  virtual absl::Status Take(const StepGradients& gradients) = 0;

  // Returns true if this sink adds up the addends of a RangeSum and takes ranges together. If false, gradients must be
  // passed to it summed.
  virtual bool AddsRanks() const { return false; }
  virtual absl::Status TakeTogether(const TogetherGradients& gradients) {
    return absl::UnimplementedError("several ranges at once are not supported");
  }

  // Ends the step. All ranges were taken, and the stream `tail` waits for all of them.
  virtual absl::Status Finish() { return absl::OkStatus(); }
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_STEP_GRADIENTS_H_
