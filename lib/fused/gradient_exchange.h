// What the hand-written step wants of the other GPUs: sums over all ranks, range by range. lib/dist says over what.
#ifndef LOCKSTEP_LIB_FUSED_GRADIENT_EXCHANGE_H_
#define LOCKSTEP_LIB_FUSED_GRADIENT_EXCHANGE_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "lib/fused/wire.h"

namespace lockstep {

// Every rank makes the same calls in the same order.
class GradientExchange {
 public:
  virtual ~GradientExchange() = default;

  virtual uint32_t ranks() const = 0;

  // As what the convolutions' and the classifier's gradients travel; batch norm's always do in fp32.
  virtual Wire wire() const = 0;

  // The most multiprocessors that it takes from kernels that run beside it; 0: none.
  virtual uint32_t max_multiprocessors() const = 0;

  // Queues: once all that is queued on `ready` so far is done, `data` (count elements of the wire's type, on the device)
  // becomes its sum over the ranks; what is queued on `then` from here on finds it. Does not wait for the GPU, and can be
  // captured. Unavailable: a rank is lost.
  virtual absl::Status Sum(void* data, size_t count, Wire type, cudaStream_t ready, cudaStream_t then) = 0;

  // All sums of a step are queued.
  virtual void EndStep() {}
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_GRADIENT_EXCHANGE_H_
