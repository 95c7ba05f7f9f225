// Tensors to time a kernel with: zeros would run faster than data do.
#ifndef LOCKSTEP_LIB_KERNELS_RANDOM_TENSOR_H_
#define LOCKSTEP_LIB_KERNELS_RANDOM_TENSOR_H_

#include <cuda_runtime.h>

#include <cstddef>

#include "absl/status/statusor.h"
#include "lib/kernels/device_buffer.h"

namespace lockstep {

// `count` values of T, float or __nv_bfloat16, between 1/16 and 1 of either sign, the same every time.
template <typename T>
absl::StatusOr<DeviceBuffer> MakeRandomTensor(size_t count, cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_RANDOM_TENSOR_H_
