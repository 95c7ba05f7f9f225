// Points of a step at which the GPU's clock can be recorded (lib/kernels/gpu_timestamps.h).
#ifndef LOCKSTEP_LIB_FUSED_STEP_TIMESTAMPS_H_
#define LOCKSTEP_LIB_FUSED_STEP_TIMESTAMPS_H_

#include <cstdint>

namespace lockstep {

// Phase boundaries, on the stream `main` in this order. The last one is on the stream `tail`, after the one before it
// and before the forward pass of the next step.
enum class StepTimestamp : uint32_t {
  kBegin,
  kBatchMade,    // batch cropped, flipped and normalised, in this step or the one before; the forward pass may still
                 // have to wait for the weights' update
  kForwardDone,  // losses computed, and in the same kernel the gradient of the last activations
  kOwnBackwardDone,   // data gradients and batch norms done; weight gradients ran concurrently on the second stream, if
                      // there is one, and shortcuts on a third, which is waited for where they join
  kAllGradientsDone,  // other streams waited for, and with them SGD of all but the first convolution; with an exchange
                      // SGD is elsewhere, and this is the end of the backward pass
  kUpdated,           // all weights are the next step's, on every rank; the next step may have begun by then
};
inline constexpr uint32_t kStepTimestamps = 6;

// Timestamps of each exchanged range, range by range in the order of a GradientSchedule.
enum class RangeTimestamp : uint32_t {
  kReady,   // range is final, on the stream of its ReadyGradients
  kSummed,  // sum over the ranks, or all of its addends, present; on a stream used only for timestamps, or in
            // PeerUpdate
};
inline constexpr uint32_t kRangeTimestamps = 2;
inline constexpr uint32_t kMaxRanges = 8;  // limit; a schedule has 4 or 5 ranges
inline constexpr uint32_t kExchangeTimestamps =
    kMaxRanges * kRangeTimestamps;  // range by range; 0 if a step has no such range

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_STEP_TIMESTAMPS_H_
