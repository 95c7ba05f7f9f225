// Converts the gradients of micro-batches to the gradient that a rank sends for its step: the sum over its
// micro-batches, each multiplied by its share of the batch, in fp32, and at the end rounded to the communication dtype.
#ifndef LOCKSTEP_LIB_KERNELS_SENT_GRADIENTS_H_
#define LOCKSTEP_LIB_KERNELS_SENT_GRADIENTS_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace lockstep {

// Input of ComputeSentGradients. All pointers must be device pointers (host pointers for the reference) to `count`
// elements. G is the gradient's type, W the communication dtype: float or __nv_bfloat16.
template <typename G, typename W>
struct SentGradientsInput {
  size_t count = 0;  // elements; 0 does nothing
  const G* gradient = nullptr;
  float share = 1;  // the micro-batch's share of the batch
  // Sum of the micro-batches so far, except the last one. Not read or written if there is only one micro-batch.
  float* sum = nullptr;
  W* send_buffer = nullptr;  // written by the last micro-batch; may be `sum` or `gradient`
  bool first = true;         // true for the step's first micro-batch
  bool last = true;
};

// Runs on `stream` with at most `max_blocks` blocks; 0: as many as are useful. Returns the launch's error.
template <typename G, typename W>
cudaError_t ComputeSentGradients(const SentGradientsInput<G, W>& input, cudaStream_t stream, uint32_t max_blocks = 0);

// Reference on the host, equal bit for bit.
template <typename G, typename W>
void ComputeSentGradientsReference(const SentGradientsInput<G, W>& input);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_SENT_GRADIENTS_H_
