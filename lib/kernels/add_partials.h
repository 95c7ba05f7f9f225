// Adds partial results to a sum: sum[i] += partial 0 [i] + partial 1 [i] + ..., in this order, in fp32, and rounds to T
// at the end.
#ifndef LOCKSTEP_LIB_KERNELS_ADD_PARTIALS_H_
#define LOCKSTEP_LIB_KERNELS_ADD_PARTIALS_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>

namespace lockstep {

struct PartialsToAdd {
  size_t partials = 0;  // partials; 0 does nothing
  size_t stride = 0;    // elements from the start of one partial to the start of the next; must be at least `count`
  size_t count = 0;     // elements of each partial and of the sum
};

// Adds the partials to `sum` on `stream` and returns the launch's error. T: float or __nv_bfloat16. Both pointers must
// be device pointers.
template <typename T>
cudaError_t AddPartials(const PartialsToAdd& shape, const T* partials, T* sum, cudaStream_t stream);

// Reference on the host, equal bit for bit.
template <typename T>
void AddPartialsReference(const PartialsToAdd& shape, const T* partials, T* sum);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_ADD_PARTIALS_H_
