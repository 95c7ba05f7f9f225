// Sums by dp4a, for GPUs before 8.0 and for comparison. A block of 256 threads computes 128 pixels times 64 outputs, a
// thread 8 times 4. For a depth of 16 products, a thread reads 12 loads of 16 bytes from shared memory and runs 128
// dp4a instructions. Two slots of 12 KB, so that several blocks fit on an SM of 7.5, which has 64 KB.
#include "lib/cuda/overlapped_launch.cuh"
#include "lib/int8_cuda/implicit_product.cuh"

namespace lockstep {
namespace {

constexpr uint32_t kThreads = 256;
constexpr uint32_t kThreadColumns = 16;  // threads side by side, each 4 outputs wide
constexpr uint32_t kThreadPixels = 8;
constexpr uint32_t kThreadOutputs = 4;
constexpr uint32_t kTilePixels = kThreads / kThreadColumns * kThreadPixels;
constexpr uint32_t kTileOutputs = kThreadColumns * kThreadOutputs;
constexpr uint32_t kSlots = 2;

using Copies = TileCopies<kTilePixels, kTileOutputs, kThreads>;
using Sums = int32_t[kThreadPixels][kThreadOutputs];

__device__ inline uint4 ReadLoad(uint32_t address) {
  uint4 value;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "r"(address)
               : "memory");
  return value;
}

__device__ inline void MultiplyStep(uint32_t slot, Sums& sums) {
  const uint32_t column = threadIdx.x % kThreadColumns, first = threadIdx.x / kThreadColumns * kThreadPixels;
  const uint32_t weights = slot + kTilePixels * kStepBytes;
#pragma unroll
  for (uint32_t load = 0; load < kLineLoads; ++load) {
    uint4 weight[kThreadOutputs];
#pragma unroll
    for (uint32_t j = 0; j < kThreadOutputs; ++j) {
      weight[j] = ReadLoad(weights + PlaceInTile(column + j * kThreadColumns, load));
    }
#pragma unroll
    for (uint32_t i = 0; i < kThreadPixels; ++i) {
      const uint4 value = ReadLoad(slot + PlaceInTile(first + i, load));
#pragma unroll
      for (uint32_t j = 0; j < kThreadOutputs; ++j) {
        sums[i][j] = DotLoad(value, weight[j], sums[i][j]);
      }
    }
  }
}

__global__ void __launch_bounds__(kThreads) QuadProductKernel(const __grid_constant__ ImplicitProduct product) {
  __shared__ __align__(128) int8_t memory[kSlots * Copies::kSlotBytes];
  const uint32_t first_pixel = blockIdx.x * kTilePixels, first_output = blockIdx.y * kTileOutputs;
  Copies copies(product, first_pixel, first_output);
  Sums sums = {};
  LetNextBegin();
  WaitForLaunchBefore();
  ForEachStep<kSlots>(product.depth, static_cast<uint32_t>(__cvta_generic_to_shared(memory)), copies,
                      [&](uint32_t slot) { MultiplyStep(slot, sums); });
  const uint32_t channel = first_output + threadIdx.x % kThreadColumns * kThreadOutputs;
  const uint32_t pixel = first_pixel + threadIdx.x / kThreadColumns * kThreadPixels;
#pragma unroll
  for (uint32_t i = 0; i < kThreadPixels; ++i) {
    if (pixel + i < product.pixels && channel < product.epilogue.channels) {
      WriteQuad(product, pixel + i, channel, sums[i]);
    }
  }
}

}  // namespace

cudaError_t LaunchQuadProduct(const ImplicitProduct& product, cudaStream_t stream) {
  const dim3 grid((product.pixels + kTilePixels - 1) / kTilePixels,
                  (product.epilogue.outputs + kTileOutputs - 1) / kTileOutputs);
  return LaunchOverlapped(QuadProductKernel, {grid, kThreads}, stream, product);
}

}  // namespace lockstep
