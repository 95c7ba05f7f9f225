// Convolution as a matrix product on Hopper's tensor cores, out^T (channels, pixels) = w (channels, depth) * im2col(x)
// (depth, pixels), int8 in and int8 out.
//
// The product is transposed so that the pixels are on the wide side (256) of the matrix instruction. With 64 channels
// on that side, the operands alone would take the full bandwidth of shared memory.
//
// The depth is processed one line of channels at a time. A box of the input is copied, eight columns wide plus one
// column and row on each side, and the copy fills in zeros beyond the image. A tap of the filter only begins at another
// line of the box. Hence an input value is loaded 1.3 to 1.6 times instead of 9. An image of 4x4 has no rows of eight:
// there the three columns of the filter read three copies, shifted by a column. With a stride of 2, the copies have
// every second row and column (HopperKind).
//
// One thread copies. Groups of four warps take tiles in turn, one multiplying while the others write, or compute larger
// tiles together. With few images a block has one group, and with fewer tiles than SMs the blocks of a cluster share a
// tile's depth. Such a launch spends most of its time on moving its weights to the SMs, so they are copied while the
// previous launch still runs.
//
// The kernels of each kind are compiled in a source of their own, because together they take minutes.
#ifndef LOCKSTEP_LIB_INT8_CUDA_HOPPER_KERNEL_CUH_
#define LOCKSTEP_LIB_INT8_CUDA_HOPPER_KERNEL_CUH_

#include "lib/cuda/overlapped_launch.cuh"
#include "lib/int8_cuda/hopper_block.cuh"
#include "lib/int8_cuda/hopper_kernel.h"
#include "lib/int8_cuda/hopper_multiply.cuh"
#include "lib/int8_cuda/hopper_write.cuh"

namespace lockstep {
namespace hopper {

using HopperKernel = void (*)(const HopperMaps, const HopperArguments);

// Return the kernel of a launch of these kinds; null if there is none.
HopperKernel BoxOrStemKernel(const HopperLaunch& launch);     // hopper_box.cu
HopperKernel HalvedKernel(const HopperLaunch& launch);        // hopper_halved.cu
HopperKernel SameOrPointsKernel(const HopperLaunch& launch);  // hopper_same.cu

template <typename S>
__device__ void Consume(const HopperArguments& arguments, const HopperMaps& maps, const Work& work,
                        const SharedPlan& plan, uint32_t base, main_loop::Rings rings) {
  const HopperTiles& tiles = arguments.tiles;
  const uint32_t group = wgmma::OfWarp(threadIdx.x / wgmma::kThreads);
  const uint32_t part = S::kTogether ? group : 0;
  const uint32_t channel = work.channel + part * kChannels;
  Staging staging = {group, base + plan.staging + group * StagingBytes(S::kPixels), base + plan.addend(group)};
  const Channels channels(arguments.epilogue, channel);
  const int2 begin = channels.Begin(arguments.epilogue, work.rank);
  WaitForLaunchBefore();
  uint32_t turn = 0;
  for (uint32_t index = work.first; index < tiles.pixel_tiles; index += work.stride, ++turn) {
    if (!S::kTogether && turn % S::kGroups != group) {
      rings.Skip(work.StagesOf<S>());
      continue;
    }
    const Tile tile(tiles, index);
    int32_t acc[S::kPixels / 2];
#pragma unroll
    for (uint32_t i = 0; i < S::kPixels / 2; ++i) {
      acc[i] = i / 2 % 2 == 0 ? begin.x : begin.y;
    }
    if (tiles.splits_log2 == 0) {
      staging.Prepare<S::kPixels>(arguments, maps, tile, channel);
    }
    if (!S::kTogether) {
      main_loop::WaitForTurn<S::kGroups>(base + plan.multiplied((turn - 1) % S::kGroups), turn);
    }
    main_loop::Multiply(TileProduct<S>{tiles, part}, work.StagesOf<S>(), rings, base + plan.multiplied(group), acc);
    if constexpr (S::kAlone) {
      if (tiles.splits_log2 != 0) {
        const uint32_t exchange = base + plan.staging, barrier = base + plan.exchanged();
        if (arguments.epilogue.addend == nullptr) {
          WriteShare<Added::kNot, S::kPixels>(arguments, work, tile, channels, exchange, barrier, acc);
        } else if (arguments.epilogue.addition.own_is_first) {
          WriteShare<Added::kFirst, S::kPixels>(arguments, work, tile, channels, exchange, barrier, acc);
        } else {
          WriteShare<Added::kSecond, S::kPixels>(arguments, work, tile, channels, exchange, barrier, acc);
        }
        continue;
      }
    }
    staging.Write<S::kPixels>(arguments, maps, tile, channel, channels, acc);
  }
  if (staging.Leads()) {
    WaitUntilStoresHaveRead();  // the next launch's block writes to this shared memory at once
  }
}

template <typename S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    HopperConvolutionKernel(const __grid_constant__ HopperMaps maps,
                            const __grid_constant__ HopperArguments arguments) {
#ifndef LOCKSTEP_CODE_LEFT_OUT
  if (threadIdx.x == S::kConsumers) {
    PrefetchMap(maps.weights);
    PrefetchMap(maps.input[0]);
  }
  extern __shared__ char unaligned[];
  const uint32_t base = (SharedAddress(unaligned) + kPatternBytes - 1) / kPatternBytes * kPatternBytes;
  const HopperRings& sizes = arguments.rings;
  const bool split = S::kAlone && arguments.tiles.splits_log2 != 0;
  const SharedPlan plan(sizes, S::kWeightBytes, S::kPixels, S::kGroups, split);
  const Work work(arguments.tiles, S::kTileChannels);
  const bool weights_stay = (work.end - work.begin) * S::kTaps == sizes.weight_slots;
  const uint32_t weight_barriers = base + plan.barriers + 2 * sizes.input_slots * kBarrierBytes;
  main_loop::Rings rings = {
      SlotRing(base, sizes.input_stride(), sizes.input_bytes, base + plan.barriers, sizes.input_slots, false),
      SlotRing(base + plan.weights, S::kWeightBytes, S::kWeightBytes, weight_barriers, sizes.weight_slots,
               weights_stay)};
  const uint32_t warp = wgmma::OfWarp(threadIdx.x / kWarp);
  if (threadIdx.x % kWarp == 0) {
    constexpr uint32_t kReaders = kGroupWarps * (S::kTogether ? S::kGroups : 1), kWarps = S::kThreads / kWarp;
    for (uint32_t slot = warp; slot < sizes.input_slots; slot += kWarps) {
      rings.input.Init(slot, kReaders);
    }
    for (uint32_t slot = kWarps - 1 - warp; slot < sizes.weight_slots; slot += kWarps) {
      rings.weights.Init(slot, kReaders);
    }
    if (warp < S::kGroups) {
      InitBarrier(base + plan.multiplied(warp), kGroupWarps);
      InitBarrier(base + plan.addend(warp), 1);
    }
    if (warp == S::kGroups) {
      InitBarrier(base + plan.exchanged(), 1);
      ArriveExpecting(base + plan.exchanged(), kChannels * S::kPixels * sizeof(int32_t));
    }
    PublishBarriers();
  }
  if (split) {
    SyncCluster();
  } else {
    __syncthreads();
  }
  LetNextBegin();
  const auto consume = [&] { Consume<S>(arguments, maps, work, plan, base, rings); };
  const auto copy = [&](uint32_t) { CopyTiles<S>(arguments.tiles, work, maps, rings); };
  if constexpr (!S::kAlone) {
    main_loop::RunGroups<S::kGroups, 1>(consume, copy);
  } else if (threadIdx.x < S::kConsumers) {
    consume();
  } else if (threadIdx.x == S::kConsumers) {
    copy(0);
  }
#endif
}

template <HopperKind kKind, uint32_t kLine, HopperTeam kTeam>
HopperKernel Of(uint32_t pixels) {
  if constexpr (kTeam == HopperTeam::kInTurn) {
    return pixels == 256   ? HopperConvolutionKernel<Shape<kKind, 256, kLine, kTeam>>
           : pixels == 128 ? HopperConvolutionKernel<Shape<kKind, 128, kLine, kTeam>>
           : pixels == 64  ? HopperConvolutionKernel<Shape<kKind, 64, kLine, kTeam>>
                           : nullptr;
  } else if constexpr (kTeam == HopperTeam::kAlone) {
    return pixels == 128  ? HopperConvolutionKernel<Shape<kKind, 128, kLine, kTeam>>
           : pixels == 64 ? HopperConvolutionKernel<Shape<kKind, 64, kLine, kTeam>>
                          : nullptr;
  } else if constexpr (kLine == 128) {
    return pixels == 256 ? HopperConvolutionKernel<Shape<kKind, 256, kLine, kTeam>> : nullptr;
  }
  return nullptr;
}

// Returns the kernel of a launch whose kind and line are these; null if there is none.
template <HopperKind kKind, uint32_t kLine>
HopperKernel ChooseOfLine(const HopperLaunch& launch) {
  switch (launch.team) {
    case HopperTeam::kInTurn:
      return Of<kKind, kLine, HopperTeam::kInTurn>(launch.pixels);
    case HopperTeam::kTogether:
      return Of<kKind, kLine, HopperTeam::kTogether>(launch.pixels);
    case HopperTeam::kAlone:
      return Of<kKind, kLine, HopperTeam::kAlone>(launch.pixels);
  }
  return nullptr;
}

// Returns the kernel of a launch of this kind, with either line; null if there is none.
template <HopperKind kKind>
HopperKernel ChooseOfKind(const HopperLaunch& launch) {
  return launch.line == 64 ? ChooseOfLine<kKind, 64>(launch) : ChooseOfLine<kKind, 128>(launch);
}

}  // namespace hopper
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_HOPPER_KERNEL_CUH_
