// Where a reducer of gradients takes part in a training step. Knows nothing of LibTorch.
#ifndef LOCKSTEP_LIB_TRAIN_GRADIENT_HOOK_H_
#define LOCKSTEP_LIB_TRAIN_GRADIENT_HOOK_H_

#include "absl/status/status.h"

namespace lockstep {

// Both calls happen once per step, on the thread that trains, around the backward pass: of a step in micro-batches, the
// last one's.
class GradientHook {
 public:
  virtual ~GradientHook() = default;

  // After forward and loss; the gradients of the step before are gone (undefined tensors, not zeros). With micro-batches
  // the gradients are the sum so far.
  virtual absl::Status BeforeBackward() = 0;

  // After the backward pass was queued. Returns once what the optimizer will read is queued too: on CUDA, once the current
  // stream waits for it; the host need not.
  virtual absl::Status AfterBackward() = 0;

  // --- Of a step that is captured as a CUDA graph ---

  // Whether each step from here on does the same, so that one can be captured. The same on all ranks.
  virtual bool settled() const { return true; }

  // The calls so far were trials and captures: what was counted and marked in them is forgotten.
  virtual void BeginReplays() {}

  // A step was queued that was captured with this hook, in the place of the two calls.
  virtual void Replayed() {}
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_GRADIENT_HOOK_H_
