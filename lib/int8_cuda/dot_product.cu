// Fully connected layer of few images. Tiles would leave most of the GPU idle and process the depth step by step. Here
// a warp computes four outputs of an image. Its lanes share the depth, 16 products each at a time, and add up by
// shuffles. The first weights are loaded while the previous launch still runs.
#include "lib/cuda/overlapped_launch.cuh"
#include "lib/int8_cuda/implicit_product.cuh"

namespace lockstep {
namespace {

constexpr uint32_t kWarp = 32;
constexpr uint32_t kWarps = 4;  // warps per block
constexpr uint32_t kOutputs = 4;
constexpr uint32_t kLaneBytes = 16;

__device__ inline uint4 ReadOrZero(const int8_t* from, bool is_real) {
  return is_real ? *reinterpret_cast<const uint4*>(from) : uint4{0, 0, 0, 0};
}

__global__ void __launch_bounds__(kWarps* kWarp)
    DotProductKernel(const __grid_constant__ ImplicitProduct product, ProductKind kind) {
  LetNextBegin();
  const uint32_t lane = threadIdx.x % kWarp, image = blockIdx.y;
  const uint32_t channel = (blockIdx.x * kWarps + threadIdx.x / kWarp) * kOutputs;
  if (channel >= product.epilogue.channels) {
    return;
  }
  const uint32_t bytes = product.in_height * product.in_width * product.in_channels;
  const int8_t* const input = product.input + static_cast<size_t>(image) * bytes;
  uint4 weight[kOutputs];
  const auto read_weights = [&](uint32_t at) {
#pragma unroll
    for (uint32_t i = 0; i < kOutputs; ++i) {
      weight[i] = ReadOrZero(product.weights + static_cast<size_t>(RowOfOutput(kind, channel + i)) * product.depth + at,
                             at < bytes);
    }
  };
  int32_t sums[kOutputs] = {};
  read_weights(lane * kLaneBytes);
  WaitForLaunchBefore();
  for (uint32_t at = lane * kLaneBytes; at < bytes; at += kWarp * kLaneBytes) {
    const uint4 value = ReadOrZero(input + at, true);
#pragma unroll
    for (uint32_t i = 0; i < kOutputs; ++i) {
      sums[i] = DotLoad(value, weight[i], sums[i]);
    }
    read_weights(at + kWarp * kLaneBytes);
  }
#pragma unroll
  for (uint32_t i = 0; i < kOutputs; ++i) {
#pragma unroll
    for (uint32_t other = 1; other < kWarp; other *= 2) {
      sums[i] = FinishSum(sums[i], __shfl_xor_sync(0xFFFFFFFF, sums[i], other));
    }
  }
  if (lane == 0) {
    WriteQuad(product, image, channel, sums);
  }
}

}  // namespace

cudaError_t LaunchDotProduct(const ImplicitProduct& product, ProductKind kind, cudaStream_t stream) {
  if (!IsDotProduct(product)) {
    return cudaErrorInvalidValue;
  }
  constexpr uint32_t kBlockOutputs = kWarps * kOutputs;
  const dim3 grid((product.epilogue.channels + kBlockOutputs - 1) / kBlockOutputs, product.pixels);
  return LaunchOverlapped(DotProductKernel, {grid, kWarps * kWarp}, stream, product, kind);
}

}  // namespace lockstep
