// SGD with momentum and weight decay over all parameters of a network in one launch, as torch.optim.SGD (dampening 0,
// no Nesterov):
//
//   velocity = momentum * velocity + (gradient + weight_decay * parameter);  parameter -= learning_rate * velocity
//
// A step of several micro-batches is one call each, in order: the first does the velocity's share, momentum and weight
// decay, those after it add their gradients, and the last moves the parameters. So the sum of the gradients is taken in
// fp32, in the velocity itself: no memory for it, and no kernel that adds.
//
// Parameters, velocities and gradients each lie in one piece, so that a launch needs no table of tensors. The state is
// fp32; a network that computes in bf16 gets its copy of the weights in the same pass. The learning rate is read on the
// device: a captured step can be replayed under a schedule.
#ifndef LOCKSTEP_LIB_KERNELS_SGD_H_
#define LOCKSTEP_LIB_KERNELS_SGD_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "lib/kernels/peer_flags.h"

namespace lockstep {

// All pointers are of the device (of the host for the reference), to `count` elements unless said otherwise, and
// aligned to 16 bytes. G, the gradient's type: float or __nv_bfloat16.
template <typename G>
struct SgdInput {
  size_t count = 0;  // any; 0 does nothing
  const G* gradient = nullptr;
  const float* learning_rate = nullptr;  // fp32 ()
  float momentum = 0;
  float weight_decay = 0;
  float* parameter = nullptr;
  float* velocity = nullptr;           // zeros before the first step
  __nv_bfloat16* bf16_copy = nullptr;  // of the new parameters; null: not wanted
  float gradient_scale = 1;            // a micro-batch's share of the batch
  bool first = true;                   // of the step's micro-batches
  bool last = true;                    // otherwise parameters and their copy stay as they are
  // fp32 (2), in the places of gradient_scale and weight_decay, by a step that makes them on the device
  // (layer_factors.h); null: those are as they stand here.
  const float* factors = nullptr;
  // Several ranks' gradients, each where this GPU finds it: their sum in fp32, in the order of the ranks, rounded to G,
  // stands in the place of `gradient`, as RankSum would make it (rank_sum.h). 0: there is one, `gradient`.
  uint32_t ranks = 0;
  const G* of_rank[kMaxPeerRanks] = {};
  // Where else bf16_copy is written to, in the memory of other GPUs as mapped here; used with bf16_copy alone.
  uint32_t other_copies = 0;
  __nv_bfloat16* other_copy[kMaxPeerRanks] = {};
};

// Returns the launch's error; runs on `stream`. With most_blocks, by no more blocks than these, with all registers of a
// multiprocessor each: for running beside other work on no more multiprocessors than that. 0: as fast as it goes.
template <typename G>
cudaError_t SgdStep(const SgdInput<G>& input, cudaStream_t stream, uint32_t most_blocks = 0);

// The same on the host, bit for bit: both use the operations of sgd_element.h.
template <typename G>
void SgdStepReference(const SgdInput<G>& input);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_SGD_H_
