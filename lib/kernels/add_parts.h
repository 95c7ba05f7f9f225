// Adds up what was computed in parts: sum[i] += part 0 [i] + part 1 [i] + ..., in this order, in fp32, rounded to T at the end.
#ifndef LOCKSTEP_LIB_KERNELS_ADD_PARTS_H_
#define LOCKSTEP_LIB_KERNELS_ADD_PARTS_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>

namespace lockstep {

struct PartsToAdd {
  size_t parts = 0;   // 0 does nothing
  size_t stride = 0;  // elements from the beginning of one part to that of the next, at least `count`
  size_t count = 0;   // elements of each, and of the sum
};

// T: float or __nv_bfloat16; pointers are of the device. Returns the launch's error; runs on `stream`.
template <typename T>
cudaError_t AddParts(const PartsToAdd& shape, const T* parts, T* sum, cudaStream_t stream);

// The same on the host, bit for bit.
template <typename T>
void AddPartsReference(const PartsToAdd& shape, const T* parts, T* sum);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_ADD_PARTS_H_
