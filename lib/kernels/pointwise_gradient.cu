// The weight gradient of a 1x1 convolution as a matrix product on Hopper's tensor cores:
//
//     dw (out, in) = dy^T (out, pixels) * x (pixels, in)
//
// The product is small. The goal is that few blocks read the pixels at the rate of memory, at the same time as other
// launches that need the rest of the GPU. A block computes 64 output channels by 64 or 128 input channels over its
// share of the pixels, with one group of four warps. Both operands are stored with the channels along a line and one
// line per pixel, as in weight_gradient.cu.
#include "lib/cuda/overlapped_launch.cuh"
#include "lib/cuda/tensor_copy.cuh"
#include "lib/cuda/wgmma.cuh"
#include "lib/kernels/pointwise_gradient_kernel.h"
#include "lib/kernels/sum_partials.cuh"

namespace lockstep {
namespace pointwise_gradient {
namespace {

constexpr uint32_t kWarp = 32;
constexpr uint32_t kSlots = 4;
constexpr uint32_t kBoxBytes = kPixels * wgmma::kLineBytes;

template <uint32_t kIn>
constexpr uint32_t kSlotBytes = (1 + kIn / kBoxChannels) * kBoxBytes;
template <uint32_t kIn>
constexpr uint32_t kSharedBytes = (kSlotBytes<kIn> + 2 * kBarrierBytes) * kSlots + wgmma::kPatternBytes;
template <uint32_t kIn>
constexpr uint32_t kTileVectors = kIn / 8 * wgmma::kThreads;  // vectors of four sums

__host__ __device__ uint32_t TileCount(const Arguments& arguments) {
  return Tiles(arguments.in_channels, arguments.out_channels);
}

// Writes four sums of a tile to their place in the output: thread t's sums of its block of eight input channels.
template <uint32_t kIn>
__device__ void Write(const Arguments& arguments, uint32_t tile, uint32_t block, uint32_t thread, const float4& sum) {
  const uint32_t in_tiles = arguments.in_channels / kIn;
  const uint32_t in = tile % in_tiles * kIn + block * 8 + wgmma::ColumnOf(thread);
  const uint32_t out = tile / in_tiles * kOutChannels + wgmma::RowOf(thread);
  const auto to = [&](uint32_t row) {
    return reinterpret_cast<__nv_bfloat162*>(arguments.out + size_t{row} * arguments.in_channels + in);
  };
  *to(out) = __floats2bfloat162_rn(sum.x, sum.y);
  *to(out + 8) = __floats2bfloat162_rn(sum.z, sum.w);
}

template <uint32_t kIn>
__global__ void __launch_bounds__(wgmma::kThreads, 1)
    PointwiseGradientKernel(const __grid_constant__ CUtensorMap gradient, const __grid_constant__ CUtensorMap input,
                            const __grid_constant__ Arguments arguments) {
#ifndef LOCKSTEP_CODE_LEFT_OUT
  if (threadIdx.x == 0) {
    PrefetchMap(gradient);
    PrefetchMap(input);
  }
  extern __shared__ char unaligned[];
  const uint32_t first = SharedAddress(unaligned);
  const uint32_t base = (first + wgmma::kPatternBytes - 1) / wgmma::kPatternBytes * wgmma::kPatternBytes;
  const uint32_t full = base + kSlots * kSlotBytes<kIn>, empty = full + kSlots * kBarrierBytes;
  if (threadIdx.x == 0) {
    for (uint32_t slot = 0; slot < kSlots; ++slot) {
      InitBarrier(full + slot * kBarrierBytes, 1);
      InitBarrier(empty + slot * kBarrierBytes, wgmma::kThreads / kWarp);
    }
    PublishBarriers();
  }
  __syncthreads();
  WaitForLaunchBefore();
  const uint32_t tiles = TileCount(arguments), split = blockIdx.x / tiles, tile = blockIdx.x % tiles;
  const uint32_t in_tiles = arguments.in_channels / kIn;
  const auto out_channel = static_cast<int32_t>(tile / in_tiles * kOutChannels);
  const auto in_channel = static_cast<int32_t>(tile % in_tiles * kIn);
  const uint32_t stages = (arguments.stages - split + arguments.splits - 1) / arguments.splits;
  const uint32_t rows = RowsOfStage(kPixels, arguments.size), images = ImagesOfStage(kPixels, arguments.size);
  const uint32_t stages_of_image = arguments.size / rows;  // stages per image, from top to bottom
  const auto copy = [&](uint32_t n) {
    const uint32_t slot = n % kSlots, to = base + slot * kSlotBytes<kIn>, barrier = full + slot * kBarrierBytes;
    WaitFor(empty + slot * kBarrierBytes, (n / kSlots & 1) ^ 1);
    ArriveExpecting(barrier, kSlotBytes<kIn>);
    const uint32_t stage = split + n * arguments.splits;
    CopyBox(gradient, to, barrier, out_channel, static_cast<int32_t>(stage * kPixels));
#pragma unroll
    for (uint32_t box = 0; box < kIn / kBoxChannels; ++box) {
      CopyBox(input, to + (1 + box) * kBoxBytes, barrier, in_channel + static_cast<int32_t>(box * kBoxChannels), 0,
              static_cast<int32_t>(stage % stages_of_image * rows),
              static_cast<int32_t>(stage / stages_of_image * images));
    }
  };
  constexpr uint32_t kAhead = kSlots - 1;  // the remaining slot is being multiplied
  if (threadIdx.x == 0) {
    for (uint32_t n = 0; n < kAhead && n < stages; ++n) {
      copy(n);
    }
  }
  __syncwarp();
  float acc[kIn / 2];
#pragma unroll
  for (float& value : acc) {
    value = 0;
  }
  for (uint32_t n = 0; n < stages; ++n) {
    const uint32_t slot = n % kSlots, at = base + slot * kSlotBytes<kIn>;
    WaitFor(full + slot * kBarrierBytes, n / kSlots & 1);
    const uint64_t a = wgmma::DescribeLinesAcross(at, wgmma::kPatternBytes, kBoxBytes);
    const uint64_t b = wgmma::DescribeLinesAcross(at + kBoxBytes, wgmma::kPatternBytes, kBoxBytes);
    wgmma::Fence();
#pragma unroll
    for (uint32_t k = 0; k < kPixels / wgmma::kDepth; ++k) {
      wgmma::MultiplyAsync</*kAIsMMajor=*/true, /*kBIsNMajor=*/true>(
          wgmma::Deeper(a, k * wgmma::kDeeperAcrossLines), wgmma::Deeper(b, k * wgmma::kDeeperAcrossLines), acc);
    }
    wgmma::Commit();
    // The next copy goes into the slot of the previous stage, once all warps have released it.
    if (threadIdx.x == 0 && n + kAhead < stages) {
      copy(n + kAhead);
    }
    __syncwarp();
    wgmma::Wait<0>();
    if (threadIdx.x % kWarp == 0) {
      Arrive(empty + slot * kBarrierBytes);
    }
  }
  LetNextBegin();
#pragma unroll
  for (uint32_t j = 0; j < kIn / 8; ++j) {
    const float4 sum = {acc[4 * j], acc[4 * j + 1], acc[4 * j + 2], acc[4 * j + 3]};
    if (arguments.splits == 1) {
      Write<kIn>(arguments, tile, j, threadIdx.x, sum);
    } else {
      arguments.partial[(size_t{split} * tiles + tile) * kTileVectors<kIn> + j * wgmma::kThreads + threadIdx.x] = sum;
    }
  }
#endif
}

constexpr uint32_t kSumThreads = 256;  // threads of a block of the second kernel
constexpr uint32_t kLanes = 4;         // partials that as many threads load at once
constexpr uint32_t kVectors = kSumThreads / kLanes;

template <uint32_t kIn>
__global__ void __launch_bounds__(kSumThreads) SumPointwisePartialsKernel(const __grid_constant__ Arguments arguments) {
  const uint32_t vector = blockIdx.x * kVectors + threadIdx.x;  // index over all tiles
  float4 sum;
  if (SumPartials<kVectors, kLanes>(arguments.partial + vector, size_t{TileCount(arguments)} * kTileVectors<kIn>,
                                    arguments.splits, sum)) {
    const uint32_t in_tile = vector % kTileVectors<kIn>;
    Write<kIn>(arguments, vector / kTileVectors<kIn>, in_tile / wgmma::kThreads, in_tile % wgmma::kThreads, sum);
  }
}

template <uint32_t kIn>
cudaError_t LaunchAs(const CUtensorMap& gradient, const CUtensorMap& input, const Arguments& arguments,
                     cudaStream_t stream) {
  const auto kernel = PointwiseGradientKernel<kIn>;
  const cudaError_t error =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kSharedBytes<kIn>));
  return error != cudaSuccess
             ? error
             : LaunchOverlapped(kernel, {TileCount(arguments) * arguments.splits, wgmma::kThreads, kSharedBytes<kIn>},
                                stream, gradient, input, arguments);
}

template <uint32_t kIn>
cudaError_t LaunchSumAs(const Arguments& arguments, cudaStream_t stream) {
  static_assert(kTileVectors<kIn> % kVectors == 0, "a block's vectors are of one tile");
  SumPointwisePartialsKernel<kIn>
      <<<TileCount(arguments) * (kTileVectors<kIn> / kVectors), dim3(kVectors, kLanes), 0, stream>>>(arguments);
  return cudaGetLastError();
}

}  // namespace

cudaError_t Launch(const CUtensorMap& gradient, const CUtensorMap& input, const Arguments& arguments,
                   cudaStream_t stream) {
  return InChannels(arguments.in_channels) == 128 ? LaunchAs<128>(gradient, input, arguments, stream)
                                                  : LaunchAs<64>(gradient, input, arguments, stream);
}

cudaError_t LaunchSum(const Arguments& arguments, cudaStream_t stream) {
  return InChannels(arguments.in_channels) == 128 ? LaunchSumAs<128>(arguments, stream)
                                                  : LaunchSumAs<64>(arguments, stream);
}

}  // namespace pointwise_gradient
}  // namespace lockstep
