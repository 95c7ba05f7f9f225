// Where in a step the GPU's clock can be noted (lib/kernels/clock_mark.h).
#ifndef LOCKSTEP_LIB_FUSED_STEP_MARKS_H_
#define LOCKSTEP_LIB_FUSED_STEP_MARKS_H_

#include <cstdint>

namespace lockstep {

// The seams, on the main stream in this order, and the last on the lane `tail`, where it comes behind the one before it,
// and before the forward pass of the next step.
enum class StepMark : uint32_t {
  kBegin,
  kBatchMade,    // cropped, flipped, normalised, here or in the step before; the weights may still be updated, which
                 // the forward pass awaits
  kForwardDone,  // the losses, and with them, in the same kernel, the gradient of the last activations
  kOwnBackwardDone,  // data gradients and batch norms; weight gradients ran beside them on the second stream, if there
                     // is one, and shortcuts on a third, which is waited for where they join
  kAllGradientsDone,  // the other streams have been waited for, and with them SGD of all but the first convolution; where
                      // gradients are exchanged SGD is elsewhere, and this is where the backward pass ends
  kUpdated,           // all weights are the next step's, on every rank; the next step may have begun by then
};
inline constexpr uint32_t kStepMarks = 6;

// Each range of gradients that is exchanged has these, range by range in the order of a GradientSchedule.
enum class RangeMark : uint32_t {
  kReady,   // it is final, on the stream that says so
  kSummed,  // it is the sum over the ranks, or all parts of that are here, on a stream of marks alone
};
inline constexpr uint32_t kRangeMarks = 2;
inline constexpr uint32_t kMaxRanges = 8;  // a schedule has 4 or 5
inline constexpr uint32_t kExchangeMarks =
    kMaxRanges * kRangeMarks;  // range by range; 0 where a step has no such range

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_STEP_MARKS_H_
