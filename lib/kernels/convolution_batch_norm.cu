// A 3x3 convolution as a matrix product on Hopper's tensor cores, out^T (channels, pixels) = w (channels, depth) *
// im2col(x) (depth, pixels). The sums of the batch norm are computed from each tile before it leaves the chip.
//
// The product is transposed, so that the pixels are on the wide side of the matrix instruction (256). Otherwise, with
// 64 channels, the operands alone would take all that shared memory can deliver. Transposition also puts a channel's
// values into the registers of one thread quartet.
//
// The depth is processed 64 input channels at a time. Each stage copies a box of the input, eight columns wide, plus
// one column and row on each side; the copy fills in zeros beyond the border. A tap is only a different first line in
// this box: from eight pixels (a row) to the next eight it is ten lines for every tap. Hence an input value is loaded
// 1.3 to 1.6 times instead of 9. An image of 4x4 has no rows of eight pixels: there the three columns of the filter
// read three copies, shifted by a column, and the rows of the filter read the same copy, one image row lower each time.
// With a stride of 2, the copies contain every second row and column (Kind).
//
// One warp copies, and two groups of four warps process tiles alternately: while one group multiplies, the other writes
// its tile. If there are fewer tiles than multiprocessors, the blocks of a cluster share a tile's depth, and each block
// adds up its share of the pixels.
#include "lib/cuda/overlapped_launch.cuh"
#include "lib/kernels/convolution_batch_norm_apply.cuh"
#include "lib/kernels/convolution_batch_norm_block.cuh"
#include "lib/kernels/convolution_batch_norm_kernel.h"
#include "lib/kernels/convolution_batch_norm_multiply.cuh"
#include "lib/kernels/convolution_batch_norm_sums.cuh"
#include "lib/kernels/convolution_batch_norm_write.cuh"

namespace lockstep {
namespace {

using namespace convolution_batch_norm;
using batch_norm::BackwardFinish;
using batch_norm::ForwardFinish;

static_assert(main_loop::ConsumerRegisters(kGroups) == 240, "128 for the accumulator, the others to write a tile");

__device__ void LoadOrigin(const float* of_channels, const Work& work, ChannelSums& sums) {
#pragma unroll
  for (uint32_t i = 0; i < kPackChannels; ++i) {
    sums.origin[i] = of_channels[work.channel + threadIdx.x % kChunks * kPackChannels + i];
  }
}

template <bool kBackward, uint32_t kPixels, Kind kKind>
__device__ void Consume(const ConvolutionBatchNormArguments& arguments, const Work& work, const SharedPlan& plan,
                        uint32_t shared_base, char* shared, main_loop::Rings rings) {
  const ConvolutionTiles& tiles = arguments.tiles;
  const uint32_t group = wgmma::OfWarp(threadIdx.x / wgmma::kThreads);
  const uint32_t channel_to_finish = work.channel + threadIdx.x % kChannels;
  const uint32_t staging = shared_base + plan.staging + group * kStageBytes;
  ChannelSums sums;
  LoadOrigin(kBackward ? arguments.state.mean : arguments.parameters.running_mean, work, sums);
  uint32_t turn = 0;
  for (uint32_t index = work.first; index < tiles.pixel_tiles; index += work.stride, ++turn) {
    const Tile tile(tiles, index);
    const main_loop::Stages stages = StagesOf<kKind>(arguments, work, tile);
    if (turn % kGroups != group) {
      rings.Skip(stages);
      continue;
    }
    // The accumulator starts at zero instead of using a first instruction that does not add, so that the registers are
    // free while a tile is written.
    float acc[kPixels / 2];
#pragma unroll
    for (float& value : acc) {
      value = 0;
    }
    main_loop::WaitForTurn<kGroups>(shared_base + plan.multiplied(kGroups - 1 - group), turn);
    if (kBackward) {
      PrefetchAround(arguments, tile, work.channel, kPixels);
    }
    main_loop::Multiply(TileProduct<kBackward, kPixels, kKind>{tiles, stages.taps}, stages, rings,
                        shared_base + plan.multiplied(group), acc);
    if constexpr (kPixels <= kMaxSplitPixels) {
      if (tiles.splits_log2 != 0) {
        WriteShare<kBackward, kPixels>(arguments, tile, work, staging, shared_base + plan.exchange,
                                       shared_base + plan.exchanged(), acc, sums);
        continue;
      }
    }
    if (tile.image + (1u << tiles.tile_images_log2) <= tiles.images) {
      WriteTile<kBackward, true, kPixels>(arguments, tile, work.channel, group, staging, acc, sums);
    } else {
      WriteTile<kBackward, false, kPixels>(arguments, tile, work.channel, group, staging, acc, sums);
    }
  }
  LetNextBegin();
  const uint32_t rows = tiles.images << 2 * (tiles.size_log2 + tiles.spread_log2);
  Sums total;
  const Workspace workspace(arguments.workspace, work);
  Sums* const of_warps = reinterpret_cast<Sums*>(shared + plan.staging);
  if constexpr (kBackward) {
    const BackwardFinish finish(arguments.state, channel_to_finish);
    if (ReduceInLastBlock(sums, work, workspace, of_warps, total)) {
      finish.Finish(total, rows, arguments.gradients);
    }
  } else {
    const ForwardFinish finish(arguments.parameters, channel_to_finish);
    if (ReduceInLastBlock(sums, work, workspace, of_warps, total)) {
      finish.Finish(total, rows, arguments.parameters, arguments.state);
    }
  }
}

// Processes at most one tile per group and keeps it until all sums are available.
template <bool kBackward, uint32_t kPixels, Kind kKind>
__device__ void ConsumeAndApply(const ConvolutionBatchNormArguments& arguments, const Work& work,
                                const SharedPlan& plan, uint32_t shared_base, char* shared, main_loop::Rings rings) {
  const ConvolutionTiles& tiles = arguments.tiles;
  const uint32_t group = wgmma::OfWarp(threadIdx.x / wgmma::kThreads);
  const uint32_t staging = shared_base + plan.staging + group * kStageBytes;
  ChannelSums sums;
  LoadOrigin(kBackward ? arguments.state.mean : arguments.parameters.running_mean, work, sums);
  Kept<kPixels> kept = {};
  const uint32_t index = work.first + group * work.stride;
  if (index < tiles.pixel_tiles) {
    if (group == 1) {
      rings.Skip(StagesOf<kKind>(arguments, work, Tile(tiles, work.first)));
      main_loop::WaitForTurn<kGroups>(shared_base + plan.multiplied(0), 1);
    }
    float acc[kPixels / 2];
#pragma unroll
    for (float& value : acc) {
      value = 0;
    }
    const Tile tile(tiles, index);
    if (kBackward) {
      PrefetchAround(arguments, tile, work.channel, kPixels);
    }
    const main_loop::Stages stages = StagesOf<kKind>(arguments, work, tile);
    main_loop::Multiply(TileProduct<kBackward, kPixels, kKind>{tiles, stages.taps}, stages, rings,
                        shared_base + plan.multiplied(group), acc);
    uint32_t first = 0, pixels = kPixels;
    if (tiles.splits_log2 != 0) {
      pixels = StageShare<kPixels>(arguments, work, staging, shared_base + plan.exchange,
                                   shared_base + plan.exchanged(), acc);
      first = work.rank * pixels;
    } else {
#pragma unroll
      for (uint32_t j = 0; j < kPixels / 8; ++j) {
        Stage(staging, j * 8, {acc[4 * j], acc[4 * j + 1], acc[4 * j + 2], acc[4 * j + 3]});
      }
      SyncGroup(group);
    }
    Keep<kBackward, kPixels>(arguments, tile, work.channel, staging, first, pixels / kPixelsAtOnce, kept, sums);
  }
  SumAndApply<kBackward, kPixels>(arguments, work, sums, kept, reinterpret_cast<Sums*>(shared + plan.staging));
}

template <bool kBackward, uint32_t kPixels, bool kApply, Kind kKind>
__global__ void __launch_bounds__(kThreads, 1)
    ConvolutionBatchNormKernel(const __grid_constant__ CUtensorMap weights,
                               const __grid_constant__ ConvolutionInputMaps inputs,
                               const __grid_constant__ ConvolutionBatchNormArguments arguments) {
#ifndef LOCKSTEP_CODE_LEFT_OUT
  if (threadIdx.x == kConsumers) {
    PrefetchMap(weights);
    PrefetchMap(inputs.map[0]);
  }
  extern __shared__ char unaligned[];
  const uint32_t skew = (wgmma::kPatternBytes - SharedAddress(unaligned) % wgmma::kPatternBytes) % wgmma::kPatternBytes;
  char* const shared = unaligned + skew;
  const uint32_t base = SharedAddress(shared);
  const ConvolutionRings& sizes = arguments.rings;
  const SharedPlan plan(sizes);
  const uint32_t weight_barriers = base + plan.barriers + 2 * sizes.input_slots * kBarrierBytes;
  const Work work(arguments.tiles);
  const bool weights_stay = kKind != Kind::kSpread && (work.end - work.begin) * kTapsOf<kKind> == sizes.weight_slots;
  main_loop::Rings rings = {
      Ring(base, sizes.input_stride(), sizes.input_bytes, base + plan.barriers, sizes.input_slots, false),
      Ring(base + plan.weights, kWeightBytes, kWeightBytes, weight_barriers, sizes.weight_slots, weights_stay)};
  const uint32_t warp = wgmma::OfWarp(threadIdx.x / kWarp);
  if (threadIdx.x % kWarp == 0) {
    rings.input.Init(warp, kGroupWarps);
    rings.weights.Init(kWarps - 1 - warp, kGroupWarps);
    if (warp < kGroups) {
      InitBarrier(base + plan.multiplied(warp), kGroupWarps);
    }
    if (warp == kGroups) {
      InitBarrier(base + plan.exchanged(), 1);
      ArriveExpecting(base + plan.exchanged(), kChannels * kPixels * sizeof(float));
    }
    PublishBarriers();
  }
  if (arguments.tiles.splits_log2 != 0) {
    SyncCluster();
  } else {
    __syncthreads();
  }
  WaitForLaunchBefore();
  const auto consume = [&] {
    if constexpr (kApply) {
      ConsumeAndApply<kBackward, kPixels, kKind>(arguments, work, plan, base, shared, rings);
    } else {
      Consume<kBackward, kPixels, kKind>(arguments, work, plan, base, shared, rings);
    }
  };
  const auto copy = [&] {
    const TileCopies<kBackward, kKind> copies = {arguments, weights, inputs, work.channel};
    for (uint32_t index = work.first; index < arguments.tiles.pixel_tiles; index += work.stride) {
      const Tile tile(arguments.tiles, index);
      const main_loop::Stages stages = StagesOf<kKind>(arguments, work, tile);
      main_loop::CopyTile(copies, tile, stages, {.slots = 0, .all = rings.weights.stays && index != work.first}, rings);
    }
  };
  main_loop::RunGroups<kGroups>(consume, copy);
#endif
}

using Kernel = void (*)(const CUtensorMap, const ConvolutionInputMaps, const ConvolutionBatchNormArguments);

template <bool kBackward, Kind kKind>
Kernel ChooseOfKind(const ConvolutionBatchNormLaunch& launch, bool split) {
  if (launch.pixels == 128) {
    return launch.apply ? ConvolutionBatchNormKernel<kBackward, 128, true, kKind>
                        : ConvolutionBatchNormKernel<kBackward, 128, false, kKind>;
  }
  if (launch.pixels == 64) {
    if constexpr (!kBackward) {
      return launch.apply ? ConvolutionBatchNormKernel<false, 64, true, kKind>
                          : ConvolutionBatchNormKernel<false, 64, false, kKind>;
    }
  }
  return launch.pixels == 256 && !split && !launch.apply ? ConvolutionBatchNormKernel<kBackward, 256, false, kKind>
                                                         : nullptr;
}

// Returns the kernel, or null if there is none for the launch.
Kernel Choose(const ConvolutionBatchNormLaunch& launch, const ConvolutionTiles& tiles) {
  const bool split = tiles.splits_log2 != 0;
  if (tiles.filter == 1) {
    return ChooseOfKind<false, Kind::kPoints>(launch, split);
  }
  if (tiles.bordered()) {
    return launch.backward ? ChooseOfKind<true, Kind::kBox>(launch, split)
                           : ChooseOfKind<false, Kind::kBox>(launch, split);
  }
  if (launch.stride == 1) {
    return launch.backward ? ChooseOfKind<true, Kind::kSame>(launch, split)
                           : ChooseOfKind<false, Kind::kSame>(launch, split);
  }
  return launch.backward ? ChooseOfKind<true, Kind::kSpread>(launch, split)
                         : ChooseOfKind<false, Kind::kHalved>(launch, split);
}

// Kernel of a launch, with its maximum shared memory set, and the launch's dimensions.
struct Prepared {
  Kernel kernel = nullptr;
  LaunchSize size;

  cudaError_t Make(const ConvolutionBatchNormLaunch& launch, const ConvolutionBatchNormArguments& arguments) {
    kernel = Choose(launch, arguments.tiles);
    if (kernel == nullptr) {
      return cudaErrorInvalidValue;
    }
    size = {launch.blocks, kThreads, ConvolutionBatchNormSharedBytes(arguments.rings),
            1u << arguments.tiles.splits_log2};
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                static_cast<int>(size.shared_bytes));
  }
};

}  // namespace

uint32_t ConvolutionBatchNormSharedBytes(const ConvolutionRings& rings) {
  return SharedPlan(rings).bytes + wgmma::kPatternBytes;  // room to align the start to a pattern
}

cudaError_t LaunchConvolutionBatchNorm(const ConvolutionBatchNormLaunch& launch, const CUtensorMap& weights,
                                       const ConvolutionInputMaps& inputs,
                                       const ConvolutionBatchNormArguments& arguments, cudaStream_t stream) {
  Prepared prepared;
  if (const cudaError_t error = prepared.Make(launch, arguments); error != cudaSuccess) {
    return error;
  }
  return LaunchOverlapped(prepared.kernel, prepared.size, stream, weights, inputs, arguments);
}

cudaError_t CountResidentBlocks(const ConvolutionBatchNormLaunch& launch,
                                const ConvolutionBatchNormArguments& arguments, uint32_t* blocks) {
  Prepared prepared;
  if (const cudaError_t error = prepared.Make(launch, arguments); error != cudaSuccess) {
    return error;
  }
  cudaLaunchAttribute cluster = ClusterOf(prepared.size);
  cudaLaunchConfig_t config = ConfigOf(prepared.size);
  config.attrs = &cluster;
  config.numAttrs = 1;
  int clusters = 0;
  const cudaError_t error = cudaOccupancyMaxActiveClusters(&clusters, prepared.kernel, &config);
  *blocks = static_cast<uint32_t>(clusters) << arguments.tiles.splits_log2;
  return error;
}

}  // namespace lockstep
