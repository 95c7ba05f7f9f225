// Random tensors for timing kernels: with zeros, kernels would run faster than with real data.
#ifndef LOCKSTEP_LIB_KERNELS_RANDOM_TENSOR_H_
#define LOCKSTEP_LIB_KERNELS_RANDOM_TENSOR_H_

#include <cuda_runtime.h>

#include <cstddef>

#include "absl/status/statusor.h"
#include "lib/cuda/device_buffer.h"

namespace lockstep {

// Returns `count` values of T, float or __nv_bfloat16, with absolute values between 1/16 and 1 and either sign; the
// same values at every call.
template <typename T>
absl::StatusOr<DeviceBuffer> MakeRandomTensor(size_t count, cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_RANDOM_TENSOR_H_
