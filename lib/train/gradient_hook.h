// Interface through which a gradient reducer takes part in a training step. Does not depend on LibTorch.
#ifndef LOCKSTEP_LIB_TRAIN_GRADIENT_HOOK_H_
#define LOCKSTEP_LIB_TRAIN_GRADIENT_HOOK_H_

#include "absl/status/status.h"

namespace lockstep {

// Called by the training thread. BeforeBackward() and AfterBackward() are called once per step, around the backward
// pass; with micro-batches, around that of the last one.
class GradientHook {
 public:
  virtual ~GradientHook() = default;

  // Called after forward pass and loss. The gradients of the previous step are gone (undefined tensors, not zeros).
  // With micro-batches, the gradients are the sum so far.
  virtual absl::Status BeforeBackward() = 0;

  // Called after the backward pass was queued. Must return only after everything that the optimizer reads has been
  // queued too: on CUDA, once the current stream waits for it. The host need not wait.
  virtual absl::Status AfterBackward() = 0;

  // --- Steps that are captured as a CUDA graph ---

  // Returns true if every later step does the same, so that a step can be captured. Must be equal on all ranks.
  virtual bool settled() const { return true; }

  // Called after trial and capture runs, before the first replay. Must reset all counts and timestamps that were taken
  // so far.
  virtual void BeginReplays() {}

  // Called after a step that was captured with this hook was queued, in place of BeforeBackward() and AfterBackward().
  virtual void Replayed() {}
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_GRADIENT_HOOK_H_
