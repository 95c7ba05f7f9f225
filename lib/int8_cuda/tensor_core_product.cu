// Sums by mma.sync.m16n8k32. A warp computes 16 * kMatrices pixels times 32 outputs. Each thread holds eight
// neighbouring outputs of a pixel, so that results are written in 8 bytes per thread, 32 per pixel. A block's width
// depends on the layer's outputs, its height on whether the blocks fill the GPU. Three slots: two steps are copied
// while one is multiplied.
//
// Source of the layouts: PTX ISA 9.0, "Matrix Fragments for mma.m16n8k32", and "ldmatrix".
#include "lib/cuda/overlapped_launch.cuh"
#include "lib/int8_cuda/implicit_product.cuh"

namespace lockstep {
namespace {

constexpr uint32_t kWarp = 32;
constexpr uint32_t kSlots = 3;
constexpr uint32_t kWarpOutputs = 32;
constexpr uint32_t kColumns = kWarpOutputs / 8;  // matrices of eight outputs side by side
constexpr uint32_t kThreadOutputs = 2 * kColumns;

// Tile of kRows times kSides warps, each kMatrices * 16 pixels high.
template <uint32_t kRows, uint32_t kSides, uint32_t kMatrices>
struct Tiling {
  static constexpr uint32_t kThreads = kRows * kSides * kWarp;
  static constexpr uint32_t kWarpPixels = kMatrices * 16;
  static constexpr uint32_t kTilePixels = kRows * kWarpPixels;
  static constexpr uint32_t kTileOutputs = kSides * kWarpOutputs;
  static constexpr uint32_t kBlocks = kMatrices > 2 ? 2 : 768 / kThreads;  // blocks per SM, limited by registers
  static constexpr uint32_t kWarpSides = kSides;
  static constexpr uint32_t kWarpMatrices = kMatrices;
  using Copies = TileCopies<kTilePixels, kTileOutputs, kThreads>;
};

// Sums of one thread of a warp: [matrix][column][2 * h + i] is pixel 16 * matrix + 8 * h + lane / 4, output 8 * (lane %
// 4) + 2 * column + i, in the row order of packed_weights.h.
template <uint32_t kMatrices>
using WarpSums = int32_t[kMatrices][kColumns][4];

// Reads four matrices of eight lines by 16 bytes. Lane l must give the address of line l % 8 of matrix l / 8.
__device__ inline void ReadMatrices(uint32_t address, uint32_t (&value)[4]) {
#if __CUDA_ARCH__ >= 800
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(value[0]), "=r"(value[1]), "=r"(value[2]), "=r"(value[3])
               : "r"(address)
               : "memory");
#endif
}

__device__ inline void MultiplyMatrices(const uint32_t (&a)[4], uint32_t b0, uint32_t b1, int32_t (&sums)[4]) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

template <typename Shape>
__device__ inline void MultiplyStep(uint32_t slot, uint32_t row, uint32_t side, WarpSums<Shape::kWarpMatrices>& sums) {
  const uint32_t lane = threadIdx.x % kWarp, matrix = lane / 8, line = lane % 8;
  const uint32_t weights = slot + Shape::kTilePixels * kStepBytes;
#pragma unroll
  for (uint32_t load = 0; load < kLineLoads; load += 2) {
    uint32_t b[kColumns / 2][4];  // two columns each: both halves of the depth of the first column, then of the second
#pragma unroll
    for (uint32_t pair = 0; pair < kColumns / 2; ++pair) {
      const uint32_t output = side * kWarpOutputs + (2 * pair + matrix / 2) * 8 + line;
      ReadMatrices(weights + PlaceInTile(output, load + matrix % 2), b[pair]);
    }
#pragma unroll
    for (uint32_t m = 0; m < Shape::kWarpMatrices; ++m) {
      uint32_t a[4];  // pixels 0 to 7 and 8 to 15 of the first half of the depth, then of the second
      const uint32_t pixel = row * Shape::kWarpPixels + m * 16 + matrix % 2 * 8 + line;
      ReadMatrices(slot + PlaceInTile(pixel, load + matrix / 2), a);
#pragma unroll
      for (uint32_t column = 0; column < kColumns; ++column) {
        MultiplyMatrices(a, b[column / 2][column % 2 * 2], b[column / 2][column % 2 * 2 + 1], sums[m][column]);
      }
    }
  }
}

// Writes outputs `channel` to `channel` + 7 of a pixel.
__device__ inline void Write(const ImplicitProduct& product, uint32_t pixel, uint32_t channel, const int32_t (&low)[4],
                             const int32_t (&high)[4]) {
  const Epilogue& epilogue = product.epilogue;
  const int32_t* const start = StartOf(epilogue, pixel);
  if (epilogue.multiplier == nullptr) {
    WriteSums(epilogue, low, start, pixel, channel, static_cast<int32_t*>(product.output));
    WriteSums(epilogue, high, start, pixel, channel + 4, static_cast<int32_t*>(product.output));
    return;
  }
  const size_t at = static_cast<size_t>(pixel) * epilogue.channels + channel;
  const uint2 addend = epilogue.addend == nullptr ? uint2{0, 0} : *reinterpret_cast<const uint2*>(epilogue.addend + at);
  *reinterpret_cast<uint2*>(static_cast<int8_t*>(product.output) + at) = {
      FinishQuad(epilogue, low, start, channel, addend.x), FinishQuad(epilogue, high, start, channel + 4, addend.y)};
}

template <typename Shape>
__global__ void __launch_bounds__(Shape::kThreads, Shape::kBlocks)
    TensorCoreProductKernel(const __grid_constant__ ImplicitProduct product) {
  using Copies = typename Shape::Copies;
  __shared__ __align__(128) int8_t memory[kSlots * Copies::kSlotBytes];
  const uint32_t first_pixel = blockIdx.x * Shape::kTilePixels, first_output = blockIdx.y * Shape::kTileOutputs;
  const uint32_t warp = threadIdx.x / kWarp, row = warp / Shape::kWarpSides, side = warp % Shape::kWarpSides;
  Copies copies(product, first_pixel, first_output);
  WarpSums<Shape::kWarpMatrices> sums = {};
  LetNextBegin();
  WaitForLaunchBefore();
  ForEachStep<kSlots>(product.depth, static_cast<uint32_t>(__cvta_generic_to_shared(memory)), copies,
                      [&](uint32_t slot) { MultiplyStep<Shape>(slot, row, side, sums); });
  const uint32_t lane = threadIdx.x % kWarp;
  const uint32_t channel = first_output + side * kWarpOutputs + lane % 4 * kThreadOutputs;
  const uint32_t pixel = first_pixel + row * Shape::kWarpPixels + lane / 4;
#pragma unroll
  for (uint32_t i = 0; i < 2 * Shape::kWarpMatrices; ++i) {
    if (pixel + 8 * i < product.pixels && channel < product.epilogue.channels) {
      const auto& of = sums[i / 2];
      const uint32_t half = i % 2 * 2;
      Write(product, pixel + 8 * i, channel, {of[0][half], of[0][half + 1], of[1][half], of[1][half + 1]},
            {of[2][half], of[2][half + 1], of[3][half], of[3][half + 1]});
    }
  }
}

template <typename Shape>
dim3 GridOf(const ImplicitProduct& product) {
  return dim3((product.pixels + Shape::kTilePixels - 1) / Shape::kTilePixels,
              (product.epilogue.outputs + Shape::kTileOutputs - 1) / Shape::kTileOutputs);
}

template <typename Shape>
bool Fills(const ImplicitProduct& product, uint32_t multiprocessors) {
  const dim3 grid = GridOf<Shape>(product);
  return grid.x * grid.y >= multiprocessors;
}

template <typename Shape>
cudaError_t LaunchShape(const ImplicitProduct& product, cudaStream_t stream) {
  return LaunchOverlapped(TensorCoreProductKernel<Shape>, {GridOf<Shape>(product), Shape::kThreads}, stream, product);
}

using Wide = Tiling<2, 4, 4>;    // 128 pixels, 128 outputs
using Tall = Tiling<4, 2, 2>;    // 128 pixels, 64 outputs
using Small = Tiling<2, 2, 2>;   // 64 pixels, 64 outputs
using Narrow = Tiling<4, 1, 2>;  // 128 pixels, 32 outputs

}  // namespace

cudaError_t LaunchTensorCoreProduct(const ImplicitProduct& product, uint32_t multiprocessors, cudaStream_t stream) {
  const uint32_t outputs = product.epilogue.outputs;
  if (outputs <= Narrow::kTileOutputs) {
    return LaunchShape<Narrow>(product, stream);
  }
  if (outputs > Tall::kTileOutputs && Fills<Wide>(product, multiprocessors)) {
    return LaunchShape<Wide>(product, stream);
  }
  return Fills<Tall>(product, multiprocessors) ? LaunchShape<Tall>(product, stream)
                                               : LaunchShape<Small>(product, stream);
}

}  // namespace lockstep
