// SGD with momentum and weight decay over all parameters of a network in one launch, as in torch.optim.SGD (dampening
// 0):
//
//   velocity = momentum * velocity + (gradient + weight_decay * parameter);  parameter -= learning_rate * velocity
//
// With Nesterov momentum, gradient + weight_decay * parameter + momentum * velocity takes the place of the velocity in
// the last formula.
//
// A step of several micro-batches takes one call per micro-batch, in order: the first call applies momentum and weight
// decay to the velocity, every call adds its gradient, and the last call updates the parameters. Thus the gradients are
// summed in fp32 in the velocity itself, without extra memory or an addition kernel.
//
// Parameters, velocities and gradients must each be contiguous, so that a launch needs no table of tensors. The state
// is fp32; a network that computes in bf16 gets its copy of the weights in the same pass. The learning rate is read on
// the device, so that a captured step can be replayed under a schedule.
#ifndef LOCKSTEP_LIB_KERNELS_SGD_H_
#define LOCKSTEP_LIB_KERNELS_SGD_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "lib/collectives/max_peer_ranks.h"

namespace lockstep {

// Input of SgdStep. All pointers must be device pointers (host pointers for the reference) to `count` elements unless
// stated otherwise, aligned to 16 bytes. G is the gradient's type: float or __nv_bfloat16.
template <typename G>
struct SgdInput {
  size_t count = 0;  // elements; 0 does nothing
  const G* gradient = nullptr;
  const float* learning_rate = nullptr;  // fp32 ()
  float momentum = 0;
  float weight_decay = 0;
  float* parameter = nullptr;
  float* velocity = nullptr;           // must be zeros before the first step
  __nv_bfloat16* bf16_copy = nullptr;  // copy of the new parameters; null: not written
  float gradient_scale = 1;            // a micro-batch's share of the batch
  bool first = true;                   // true for the step's first micro-batch
  bool last = true;                    // true for the last one; otherwise parameters and their copy stay unchanged
  // fp32 (2): replaces gradient_scale and weight_decay in a step that computes the factors on the device
  // (layer_factors.h). null: the values above are used.
  const float* factors = nullptr;
  // Gradients of several ranks, at the addresses where this GPU finds them. Their sum in fp32, in the order of the
  // ranks, rounded to G, replaces `gradient`, as RankSum would compute it (rank_sum.h). 0: only `gradient`.
  uint32_t ranks = 0;
  const G* of_rank[kMaxPeerRanks] = {};
  // Further destinations of bf16_copy in the memory of other GPUs, as mapped here; only used together with bf16_copy.
  uint32_t other_copies = 0;
  __nv_bfloat16* other_copy[kMaxPeerRanks] = {};
  bool nesterov = false;  // true: Nesterov momentum; requires `first` and `last`
};

// Runs on `stream` and returns the launch's error. With `max_blocks`, uses at most that many blocks, each with all
// registers of a multiprocessor, to run at the same time as other work without occupying more multiprocessors than
// that. 0: as many blocks as are useful.
template <typename G>
cudaError_t SgdStep(const SgdInput<G>& input, cudaStream_t stream, uint32_t max_blocks = 0);

// Reference on the host, equal bit for bit: both use the operations of sgd_element.h.
template <typename G>
void SgdStepReference(const SgdInput<G>& input);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_SGD_H_
