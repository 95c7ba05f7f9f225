#include "lib/kernels/random_tensor.h"

#include <cuda_bf16.h>

#include <cstdint>
#include <vector>

#include "lib/base/status_macros.h"

namespace lockstep {

// Repeats a prime number of values.
template <typename T>
absl::StatusOr<DeviceBuffer> MakeRandomTensor(size_t count, cudaStream_t stream) {
  std::vector<T> host(100'003);
  uint32_t state = 1;
  for (T& value : host) {
    state = state * 1664525u + 1013904223u;  // Knuth, TAOCP 3.2.1 (Numerical Recipes' constants)
    const float magnitude = 0.0625f + 0.9375f * static_cast<float>(state >> 9) / (1 << 23);
    value = T((state >> 8 & 1) != 0 ? magnitude : -magnitude);
  }
  ASSIGN_OR_RETURN(DeviceBuffer buffer, DeviceBuffer::Make(count * sizeof(T)));
  RETURN_IF_ERROR(buffer.Fill(host.data(), host.size() * sizeof(T), stream));
  return buffer;
}

template absl::StatusOr<DeviceBuffer> MakeRandomTensor<float>(size_t count, cudaStream_t stream);
template absl::StatusOr<DeviceBuffer> MakeRandomTensor<__nv_bfloat16>(size_t count, cudaStream_t stream);

}  // namespace lockstep
