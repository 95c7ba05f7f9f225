// The seams of a step at which the GPU's clock can be noted (lib/kernels/clock_mark.h), all on the main stream, in this
// order.
#ifndef LOCKSTEP_LIB_FUSED_STEP_MARKS_H_
#define LOCKSTEP_LIB_FUSED_STEP_MARKS_H_

#include <cstdint>

namespace lockstep {

enum class StepMark : uint32_t {
  kBegin,
  kBatchMade,         // cropped, flipped, normalised
  kForwardDone,       // the losses, and with them, in the same kernel, the gradient of the last activations
  kOwnBackwardDone,   // data gradients and batch norms; weight gradients ran beside them on the second stream, if there
                      // is one, and shortcuts on a third, which is waited for where they join
  kAllGradientsDone,  // the other streams have been waited for, and with them SGD of all but the first convolution
  kUpdated,           // SGD of that
};
inline constexpr uint32_t kStepMarks = 6;

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_STEP_MARKS_H_
