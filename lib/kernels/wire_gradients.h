// Makes of a micro-batch's gradients what a rank sends of its step: the sum over its micro-batches, each times its
// share of the batch, in fp32, rounded to the type of the wire at the end.
#ifndef LOCKSTEP_LIB_KERNELS_WIRE_GRADIENTS_H_
#define LOCKSTEP_LIB_KERNELS_WIRE_GRADIENTS_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace lockstep {

// All pointers are of the device (of the host for the reference), to `count` elements. G, the gradient's type, and W,
// the wire's: float or __nv_bfloat16.
template <typename G, typename W>
struct WireInput {
  size_t count = 0;  // any; 0 does nothing
  const G* gradient = nullptr;
  float share = 1;       // of the batch
  float* sum = nullptr;  // of the micro-batches so far, but for the last; not looked at when there is one micro-batch
  W* wire = nullptr;     // written by the last micro-batch; may be `sum`, or `gradient`
  bool first = true;     // of the step's micro-batches
  bool last = true;
};

// Returns the launch's error; runs on `stream`. With most_blocks, by no more blocks than these; 0: as fast as it goes.
template <typename G, typename W>
cudaError_t WireGradients(const WireInput<G, W>& input, cudaStream_t stream, uint32_t most_blocks = 0);

// The same on the host, bit for bit.
template <typename G, typename W>
void WireGradientsReference(const WireInput<G, W>& input);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_WIRE_GRADIENTS_H_
