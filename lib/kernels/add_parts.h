// Adds partial results to a sum: sum[i] += part 0 [i] + part 1 [i] + ..., in this order, in fp32, and rounds to T at
// the end.
#ifndef LOCKSTEP_LIB_KERNELS_ADD_PARTS_H_
#define LOCKSTEP_LIB_KERNELS_ADD_PARTS_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>

namespace lockstep {

struct PartsToAdd {
  size_t parts = 0;   // parts; 0 does nothing
  size_t stride = 0;  // elements from the start of one part to the start of the next; must be at least `count`
  size_t count = 0;   // elements of each part and of the sum
};

// Adds the parts to `sum` on `stream` and returns the launch's error. T: float or __nv_bfloat16. Both pointers must be
// device pointers.
template <typename T>
cudaError_t AddParts(const PartsToAdd& shape, const T* parts, T* sum, cudaStream_t stream);

// Reference on the host, equal bit for bit.
template <typename T>
void AddPartsReference(const PartsToAdd& shape, const T* parts, T* sum);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_ADD_PARTS_H_
