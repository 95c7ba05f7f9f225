// One element per thread: at most 2.4 million (a gradient of 512x512x3x3), which takes 5 us compared with milliseconds
// for the convolutions.
#include <algorithm>
#include <cstdint>

#include "lib/kernels/add_partials.h"

namespace lockstep {
namespace {

constexpr uint32_t kThreads = 256;
constexpr size_t kMaxBlocks = 132 * 8 * 4;  // four times what fills 132 SMs of 2,048 threads

template <typename T>
__global__ void AddPartialsKernel(PartialsToAdd shape, const T* partials, T* sum) {
  const size_t step = static_cast<size_t>(gridDim.x) * kThreads;
  for (size_t i = static_cast<size_t>(blockIdx.x) * kThreads + threadIdx.x; i < shape.count; i += step) {
    float total = static_cast<float>(sum[i]);
    for (size_t partial = 0; partial < shape.partials; ++partial) {
      total += static_cast<float>(partials[partial * shape.stride + i]);
    }
    sum[i] = T(total);
  }
}

}  // namespace

template <typename T>
cudaError_t AddPartials(const PartialsToAdd& shape, const T* partials, T* sum, cudaStream_t stream) {
  if (shape.partials == 0 || shape.count == 0) {
    return cudaSuccess;
  }
  const size_t blocks = std::min(kMaxBlocks, (shape.count + kThreads - 1) / kThreads);
  AddPartialsKernel<<<static_cast<uint32_t>(blocks), kThreads, 0, stream>>>(shape, partials, sum);
  return cudaGetLastError();
}

template cudaError_t AddPartials(const PartialsToAdd&, const float*, float*, cudaStream_t);
template cudaError_t AddPartials(const PartialsToAdd&, const __nv_bfloat16*, __nv_bfloat16*, cudaStream_t);

}  // namespace lockstep
