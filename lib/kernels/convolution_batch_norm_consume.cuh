// Kernel of the convolution with a batch norm's sums, and the work of its groups of warps.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_CONSUME_CUH_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_CONSUME_CUH_

#include "lib/cuda/overlapped_launch.cuh"
#include "lib/kernels/convolution_batch_norm_apply.cuh"
#include "lib/kernels/convolution_batch_norm_block.cuh"
#include "lib/kernels/convolution_batch_norm_kept.cuh"
#include "lib/kernels/convolution_batch_norm_kernel.h"
#include "lib/kernels/convolution_batch_norm_laps.h"
#include "lib/kernels/convolution_batch_norm_multiply.cuh"
#include "lib/kernels/convolution_batch_norm_sums.cuh"
#include "lib/kernels/convolution_batch_norm_write.cuh"

namespace lockstep {
namespace convolution_batch_norm {

static_assert(main_loop::ConsumerRegisters(2) == 240, "128 for the accumulator, the others to write a tile");
static_assert(main_loop::ConsumerRegisters(3) == 160, "64 for the accumulator, the others to write a tile");

__device__ inline void LoadOrigin(const float* of_channels, const Work& work, ChannelSums& sums) {
#pragma unroll
  for (uint32_t i = 0; i < kPackChannels; ++i) {
    sums.origin[i] = of_channels[work.channel + threadIdx.x % kChunks * kPackChannels + i];
  }
}

// Watch of main_loop::Multiply that measures the waits for copies.
template <typename Clock>
struct StageClock {
  Clock& clock;

  __device__ void BeginWait() const { clock.End(Lap::kProducts); }
  __device__ void EndWait() const { clock.End(Lap::kStages); }
};

// Returns the group whose turn comes before that of `group`.
template <uint32_t kGroups>
__device__ uint32_t GroupBefore(uint32_t group) {
  return kGroups == 2 ? 1 - group : group == 0 ? kGroups - 1 : group - 1;
}

// Multiplies and writes the group's tiles of the block, and adds them to the sums. staging_of(turn) returns the address
// at which the block's tile number `turn` is transposed. Returns the number of the block's tiles.
template <bool kBackward, uint32_t kPixels, uint32_t kGroups, KeptTiles kKept, Kind kKind, uint32_t kWeightBlocks,
          typename StagingOf, typename Clock>
__device__ uint32_t ConsumeTiles(const ConvolutionBatchNormArguments& arguments, const Work& work,
                                 const SharedPlan& plan, uint32_t shared_base, main_loop::Rings rings,
                                 const StagingOf& staging_of, ChannelSums& sums, Clock& clock) {
  constexpr bool kShort = kGroups > 2;  // the depth of a tile is short
  const ConvolutionTiles& tiles = arguments.tiles;
  const uint32_t group = wgmma::OfWarp(threadIdx.x / wgmma::kThreads);
  uint32_t turn = 0;
  for (uint32_t index = work.first; index < tiles.pixel_tiles; index += work.stride, ++turn) {
    if constexpr (kShort) {
      if (turn % kGroups != group) {
        rings.SkipFew(StagesOf<kKind>(arguments, work, Tile(tiles, index)));
        continue;
      }
    }
    const Tile tile(tiles, index);
    const main_loop::Stages stages = StagesOf<kKind>(arguments, work, tile);
    if (!kShort && turn % kGroups != group) {
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
    clock.End(Lap::kNext);
    main_loop::WaitForTurn<kGroups>(shared_base + plan.multiplied(GroupBefore<kGroups>(group)), turn);
    clock.End(Lap::kTurn);
    if (kBackward) {
      PrefetchAround(arguments, tile, work.channel, kPixels);
    } else if constexpr (kKept == KeptTiles::kInShared) {
      PrefetchResidual(arguments, tile, work.channel, kPixels);
    }
    clock.End(Lap::kPrefetch);
    main_loop::Multiply(TileProduct<kBackward, kPixels, kKind, kWeightBlocks>{tiles, stages.taps}, stages, rings,
                        shared_base + plan.multiplied(group), acc, StageClock<Clock>{clock});
    clock.End(Lap::kProducts);
    const uint32_t staging = staging_of(turn);
    if constexpr (kPixels <= kMaxSplitPixels && kGroups == 2 && kKept == KeptTiles::kNone && kWeightBlocks == 1) {
      if (tiles.splits_log2 != 0) {
        WriteShare<kBackward, kPixels>(arguments, tile, work, staging, shared_base + plan.exchange,
                                       shared_base + plan.exchanged(), acc, sums);
        continue;
      }
    }
    if constexpr (kShort && kBackward) {
      WriteShort(arguments, tile, work.channel, group, staging, acc, sums, clock);
    } else if (kKept == KeptTiles::kNone && tile.image + (1u << tiles.tile_images_log2) <= tiles.images) {
      WriteTile<kBackward, true, kPixels, false>(arguments, tile, work.channel, group, staging, acc, sums, clock);
    } else {
      constexpr bool kKeep = kBackward && kKept == KeptTiles::kInShared;  // forward, what is staged is written as it is
      WriteTile<kBackward, false, kPixels, kKeep>(arguments, tile, work.channel, group, staging, acc, sums, clock);
    }
    clock.EndTile();
  }
  return turn;
}

template <bool kBackward, uint32_t kPixels, uint32_t kGroups, Kind kKind, uint32_t kWeightBlocks, typename Clock>
__device__ void Consume(const ConvolutionBatchNormArguments& arguments, const Work& work, const SharedPlan& plan,
                        uint32_t shared_base, char* shared, const main_loop::Rings& rings, Clock& clock) {
  const ConvolutionTiles& tiles = arguments.tiles;
  const uint32_t group = wgmma::OfWarp(threadIdx.x / wgmma::kThreads);
  const uint32_t channel_to_finish = work.channel + threadIdx.x % kChannels;
  const uint32_t staging = shared_base + plan.staging + group * kStageBytes;
  ChannelSums sums;
  LoadOrigin(kBackward ? arguments.state.mean : arguments.parameters.running_mean, work, sums);
  clock.Start();
  ConsumeTiles<kBackward, kPixels, kGroups, KeptTiles::kNone, kKind, kWeightBlocks>(
      arguments, work, plan, shared_base, rings, [&](uint32_t) { return staging; }, sums, clock);
  LetNextBegin();
  const uint32_t rows = tiles.images << 2 * (tiles.size_log2 + tiles.spread_log2);
  Sums total;
  const Workspace workspace(arguments.workspace, work);
  Sums* const of_warps = reinterpret_cast<Sums*>(shared + plan.staging);
  if constexpr (kBackward) {
    const batch_norm::BackwardFinish finish(arguments.state, channel_to_finish);
    if (ReduceInLastBlock<kGroups>(sums, work, workspace, of_warps, total)) {
      finish.Finish(total, rows, arguments.gradients);
    }
  } else {
    const batch_norm::ForwardFinish finish(arguments.parameters, channel_to_finish);
    if (ReduceInLastBlock<kGroups>(sums, work, workspace, of_warps, total)) {
      finish.Finish(total, rows, arguments.parameters, arguments.state);
    }
  }
}

// Processes at most one tile per group and keeps it until all sums are available.
template <bool kBackward, uint32_t kPixels, Kind kKind, uint32_t kWeightBlocks>
__device__ void ConsumeAndApply(const ConvolutionBatchNormArguments& arguments, const Work& work,
                                const SharedPlan& plan, uint32_t shared_base, char* shared, main_loop::Rings rings) {
  const ConvolutionTiles& tiles = arguments.tiles;
  const uint32_t group = wgmma::OfWarp(threadIdx.x / wgmma::kThreads);
  const uint32_t staging = shared_base + plan.staging + group * kStageBytes;
  const LamportCounters counters(arguments.lamport_buffer);
  ChannelSums sums;
  LoadOrigin(kBackward ? arguments.state.mean : arguments.parameters.running_mean, work, sums);
  Kept<kPixels> kept = {};
  const uint32_t index = work.first + group * work.stride;
  if (index < tiles.pixel_tiles) {
    if (group == 1) {
      rings.Skip(StagesOf<kKind>(arguments, work, Tile(tiles, work.first)));
      main_loop::WaitForTurn<kApplyingGroups>(shared_base + plan.multiplied(0), 1);
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
    main_loop::Multiply(TileProduct<kBackward, kPixels, kKind, kWeightBlocks>{tiles, stages.taps}, stages, rings,
                        shared_base + plan.multiplied(group), acc);
    uint32_t first = 0, pixels = kPixels;
    if (kWeightBlocks == 1 && tiles.splits_log2 != 0) {
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
  SumAndApply<kBackward, kApplyingGroups>(
      arguments, work, counters, sums, reinterpret_cast<Sums*>(shared + plan.staging),
      [&](const PackCoefficients& coefficients) { Apply<kBackward, kPixels>(arguments, coefficients, kept); });
}

// Processes any number of tiles and keeps the last ones in shared memory (KeptTiles::kInShared).
template <bool kBackward, uint32_t kGroups, Kind kKind>
__device__ void ConsumeAndApplyMany(const ConvolutionBatchNormArguments& arguments, const Work& work,
                                    const SharedPlan& plan, uint32_t shared_base, char* shared,
                                    const main_loop::Rings& rings) {
  const uint32_t group = wgmma::OfWarp(threadIdx.x / wgmma::kThreads);
  const TileSlots slots = {shared_base + plan.staging, arguments.rings.tile_slots};
  const LamportCounters counters(arguments.lamport_buffer);
  ChannelSums sums;
  LoadOrigin(kBackward ? arguments.state.mean : arguments.parameters.running_mean, work, sums);
  NoClock clock;
  const uint32_t block_tiles = ConsumeTiles<kBackward, kStagePixels, kGroups, KeptTiles::kInShared, kKind, 1>(
      arguments, work, plan, shared_base, rings, [&](uint32_t turn) { return slots.At(turn); }, sums, clock);
  GroupPieces<kGroups> remaining(work, slots, group, block_tiles);
  constexpr uint32_t kPixels = PiecePixels(kGroups);
  Kept<kPixels> kept = {};
  kept.count = Kept<kPixels>::kItems;
  if (remaining.count != 0) {
    remaining.template Recall<kBackward>(arguments, kept);  // before the wait, during which the loads arrive
  }
  // The ring of input boxes is free: all of the block's tiles have been multiplied when all consumers are there.
  const auto apply = [&](const PackCoefficients& coefficients) {
#pragma unroll 1
    while (remaining.count != 0) {
      Apply<kBackward, kPixels>(arguments, coefficients, kept);
      if (--remaining.count != 0) {
        remaining.template Recall<kBackward>(arguments, kept);
      }
    }
  };
  SumAndApply<kBackward, kGroups>(arguments, work, counters, sums, reinterpret_cast<Sums*>(shared), apply);
}

// kGroups: groups of warps that multiply and write tiles in turn. kWeightBlocks: weight_blocks of the launch.
template <bool kBackward, uint32_t kPixels, uint32_t kGroups, KeptTiles kKept, Kind kKind, uint32_t kWeightBlocks = 1,
          typename Clock = NoClock>
__global__ void __launch_bounds__(ThreadsOf(kGroups), 1)
    ConvolutionBatchNormKernel(const __grid_constant__ CUtensorMap weights,
                               const __grid_constant__ ConvolutionInputMaps inputs,
                               const __grid_constant__ ConvolutionBatchNormArguments arguments) {
#ifndef LOCKSTEP_CODE_LEFT_OUT
  static_assert(kKept != KeptTiles::kInRegisters || kGroups == kApplyingGroups, "one tile for each of two groups");
  static_assert(kKept != KeptTiles::kInShared || kPixels == kStagePixels, "a slot has a tile");
  static_assert(kGroups == 2 || kCopiers<kPixels, kWeightBlocks> == 2, "CopyBlock copies repeated weights again");
  static_assert(kWeightBlocks == 1 || (kWeightBlocks == kPairBlocks && kGroups == 2),
                "CopyBlockWeights copies the weights of a pair, without repeated ones");
  static_assert(kWeightBlocks == 1 || kKept != KeptTiles::kInShared, "the tiles of a pair stay in registers");
  static_assert(kKept != KeptTiles::kInShared || !kBackward || kGroups == 2, "three groups write in another way");
  constexpr uint32_t kConsumers = ConsumersOf(kGroups), kWarps = ThreadsOf(kGroups) / kWarp;
  Clock clock;
  if (threadIdx.x == kConsumers) {
    PrefetchMap(weights);
    PrefetchMap(inputs.map[0]);
    if constexpr (kKind == Kind::kHalved) {
      PrefetchMap(inputs.map[1]);
      PrefetchMap(inputs.map[2]);
      PrefetchMap(inputs.map[3]);
    }
  }
  extern __shared__ char unaligned[];
  const uint32_t skew = (wgmma::kPatternBytes - SharedAddress(unaligned) % wgmma::kPatternBytes) % wgmma::kPatternBytes;
  char* const shared = unaligned + skew;
  const uint32_t base = SharedAddress(shared);
  const ConvolutionRings& sizes = arguments.rings;
  const SharedPlan plan(sizes, kGroups);
  const uint32_t weight_barriers = base + plan.barriers + 2 * sizes.input_slots * kBarrierBytes;
  const Work work = kWeightBlocks == 1 ? Work(arguments.tiles) : Work::OfPair(arguments.tiles);
  const bool weights_stay =
      kWeightBlocks == 1 && kKind != Kind::kSpread && (work.end - work.begin) * kTapsOf<kKind> == sizes.weight_slots;
  main_loop::Rings rings = {
      Ring(base, sizes.input_stride(), sizes.input_bytes, base + plan.barriers, sizes.input_slots, false),
      Ring(base + plan.weights, kWeightBytes, kWeightBytes, weight_barriers, sizes.weight_slots, weights_stay)};
  const uint32_t warp = wgmma::OfWarp(threadIdx.x / kWarp);
  if (threadIdx.x % kWarp == 0) {
    rings.input.Init(warp, kGroupWarps);
    rings.weights.Init(kWarps - 1 - warp, kGroupWarps * kWeightBlocks);
    if (warp < kGroups) {
      InitBarrier(base + plan.multiplied(warp), kGroupWarps);
    }
    if (warp == kGroups) {
      InitBarrier(base + plan.exchanged(), 1);
      ArriveExpecting(base + plan.exchanged(), ReceivedBytes(arguments.tiles, kPixels));
    }
    PublishBarriers();
  }
  if (kWeightBlocks != 1 || arguments.tiles.splits_log2 != 0) {
    SyncCluster();
  } else {
    __syncthreads();
  }
  const auto consume = [&] {
    if constexpr (kKept == KeptTiles::kInRegisters) {
      ConsumeAndApply<kBackward, kPixels, kKind, kWeightBlocks>(arguments, work, plan, base, shared, rings);
    } else if constexpr (kKept == KeptTiles::kInShared) {
      ConsumeAndApplyMany<kBackward, kGroups, kKind>(arguments, work, plan, base, shared, rings);
    } else {
      Consume<kBackward, kPixels, kGroups, kKind, kWeightBlocks>(arguments, work, plan, base, shared, rings, clock);
      clock.EndBlock();
    }
  };
  const auto copy = [&](uint32_t copier) {
    const TileCopies<kBackward, kKind, kWeightBlocks> copies = {arguments, weights, inputs, work.channel, work.rank};
    if constexpr (kCopiers<kPixels, kWeightBlocks> == 1) {
      CopyBlock(copies, work, rings);
    } else if (copier == 0) {
      CopyBlockInput(copies, work, rings.input);
    } else {
      CopyBlockWeights<(kGroups > 2)>(copies, work, rings.weights);
    }
  };
  const auto wait_and_consume = [&] {
    WaitForLaunchBefore();
    consume();
  };
  main_loop::RunGroups<kGroups, kCopiers<kPixels, kWeightBlocks>>(wait_and_consume, copy);
#endif
}

}  // namespace convolution_batch_norm
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_CONSUME_CUH_
