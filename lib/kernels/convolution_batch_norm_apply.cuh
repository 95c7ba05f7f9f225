// Applies the batch norm in the launch that computed its sums: the tiles stay in registers until the sums of all blocks
// are available. If a block has too many tiles for that, see convolution_batch_norm_kept.cuh.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_APPLY_CUH_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_APPLY_CUH_

#include <type_traits>

#include "lib/cuda/overlapped_launch.cuh"
#include "lib/kernels/convolution_batch_norm_block.cuh"
#include "lib/kernels/convolution_batch_norm_sums.cuh"
#include "lib/kernels/convolution_batch_norm_write.cuh"

namespace lockstep {
namespace convolution_batch_norm {

// A thread's part of a tile. Forward: the convolution's output (`value`) and the residual (`other`). Backward: the
// masked gradient of the batch norm's output, and its input.
template <uint32_t kPixels>
struct Kept {
  static constexpr uint32_t kItems = kPixels / kPixelsAtOnce;
  static constexpr uint32_t kHalf = kItems / 2;  // items if two blocks share a tile's depth

  Words value[kItems], other[kItems];
  uint32_t at[kItems];  // indices in packs
  bool inside[kItems];
  uint32_t count;  // number of items used: 0, kHalf or kItems

  // Returns whether item k and all later items are unused. Only checked at the start of a half, so that no other branch
  // prevents the items' instructions from being interleaved.
  __device__ bool EndsAt(uint32_t k) const { return k % kHalf == 0 && k >= count; }
};

// Takes `count` times kPixelsAtOnce staged pixels, starting at the tile's pixel `first`, writes them out and adds them
// to the sums. No branch separates the instructions of different pixels.
template <bool kBackward, uint32_t kPixels>
__device__ void Keep(const ConvolutionBatchNormArguments& arguments, const Tile& tile, uint32_t channel,
                     uint32_t staging, uint32_t first, uint32_t count, Kept<kPixels>& kept, ChannelSums& sums) {
  constexpr uint32_t kItems = Kept<kPixels>::kItems;
  kept.count = count;
  const ConvolutionTiles& tiles = arguments.tiles;
  const uint32_t thread = threadIdx.x % wgmma::kThreads;
  const uint32_t chunk = thread % kChunks, pixel = thread / kChunks;
  const Place of_thread(tiles, pixel);
  const uint32_t packs = tiles.channels / kPackChannels;  // packs per pixel
  const uint32_t column = channel / kPackChannels + chunk;
  Around around[kItems];
#pragma unroll
  for (uint32_t k = 0; k < kItems; ++k) {
    if (kept.EndsAt(k)) {
      break;
    }
    const Place of_item(tiles, first + k * kPixelsAtOnce);
    kept.inside[k] = tile.image + of_thread.image + of_item.image < tiles.images;
    kept.at[k] = (kept.inside[k] ? tile.in_batch + of_thread.in_batch + of_item.in_batch : 0) * packs + column;
    if (kBackward) {
      around[k].Load(arguments, kept.at[k], kept.inside[k]);
      kept.other[k] = around[k].x;
    } else if (arguments.residual.residual != nullptr) {
      kept.other[k] = Words::Load(arguments.residual.residual, kept.at[k]);
    }
  }
#pragma unroll
  for (uint32_t k = 0; k < kItems; ++k) {
    if (kept.EndsAt(k)) {
      break;
    }
    kept.value[k] = Words::Of(LoadShared(StagedAt(staging, pixel + k * kPixelsAtOnce, chunk)));
#pragma unroll
    for (uint32_t i = 0; i < kPackChannels / 2; ++i) {
      uint32_t& word = kept.value[k].word[i];
      word = AddWord<kBackward>(word, kept.inside[k], around[k], PassingBits{kBackward ? around[k].mask : 0}, i, sums);
    }
    if (kept.inside[k] && (!kBackward || arguments.out != nullptr)) {
      kept.value[k].Store(arguments.out, kept.at[k]);
    }
  }
}

// Coefficients, for 64 channels in shared memory, of y = on_value * value + on_other * other + constant, with a ReLU
// forward.
struct Coefficients {
  float on_value[kChannels], on_other[kChannels], constant[kChannels];
};

__device__ inline float Half(const Words& words, uint32_t i) {
  return i % 2 == 0 ? LowBf16(words.word[i / 2]) : HighBf16(words.word[i / 2]);
}

// Coefficients of a thread's eight channels.
struct PackCoefficients {
  float on_value[kPackChannels], on_other[kPackChannels], constant[kPackChannels];

  __device__ explicit PackCoefficients(const Coefficients& of_channels) {
    const uint32_t channel = threadIdx.x % kChunks * kPackChannels;
#pragma unroll
    for (uint32_t i = 0; i < kPackChannels; ++i) {
      on_value[i] = of_channels.on_value[channel + i];
      on_other[i] = of_channels.on_other[channel + i];
      constant[i] = of_channels.constant[channel + i];
    }
  }
};

template <bool kBackward, uint32_t kPixels>
__device__ void Apply(const ConvolutionBatchNormArguments& arguments, const PackCoefficients& on,
                      const Kept<kPixels>& kept) {
  constexpr uint32_t kItems = Kept<kPixels>::kItems;
#pragma unroll
  for (uint32_t k = 0; k < kItems; ++k) {
    if (kept.EndsAt(k)) {
      break;
    }
    // The order is that of batch_norm_rows.cuh, so that the bits are equal.
    float y[kPackChannels];
    uint32_t mask = 0;
#pragma unroll
    for (uint32_t i = 0; i < kPackChannels; ++i) {
      const float value = Half(kept.value[k], i), other = Half(kept.other[k], i);
      if constexpr (kBackward) {
        y[i] = on.on_value[i] * value + on.on_other[i] * other + on.constant[i];
      } else {
        y[i] = on.on_value[i] * value + on.constant[i];
        if (arguments.residual.residual != nullptr) {
          y[i] += on.on_other[i] * other;
        }
        mask |= y[i] > 0 ? 1u << i : 0u;
        y[i] = fmaxf(y[i], 0.0f);
      }
    }
    if (kept.inside[k]) {
      if (!kBackward) {
        arguments.y_mask[kept.at[k]] = static_cast<uint8_t>(mask);
      }
      Store(y, arguments.y + size_t{kept.at[k]} * kPackChannels);
    }
  }
}

// Inputs of a channel's coefficients other than its sums. They are loaded early, so that their loads have arrived when
// the sums are available.
class ForwardCoefficients {
 public:
  __device__ ForwardCoefficients(const ConvolutionBatchNormArguments& arguments, uint32_t channel)
      : finish_(arguments.parameters, channel),
        on_residual_(arguments.residual.scale != nullptr ? arguments.residual.scale[channel] : 1.0f),
        shift_(arguments.residual.shift != nullptr ? arguments.residual.shift[channel] : 0.0f) {}

  // Writes the coefficients of channel `c` of the 64. store: also writes the arguments' state.
  __device__ void Make(const ConvolutionBatchNormArguments& arguments, const Sums& total, uint32_t rows, bool store,
                       uint32_t c, Coefficients& of_channels) const {
    const auto applied = finish_.Finish(total, rows, arguments.parameters, arguments.state, store);
    of_channels.on_value[c] = applied.scale;
    of_channels.on_other[c] = on_residual_;
    of_channels.constant[c] = applied.shift + shift_;
  }

 private:
  batch_norm::ForwardFinish finish_;
  float on_residual_, shift_;
};

class BackwardCoefficients {
 public:
  __device__ BackwardCoefficients(const ConvolutionBatchNormArguments& arguments, uint32_t channel)
      : finish_(arguments.state, channel) {}

  __device__ void Make(const ConvolutionBatchNormArguments& arguments, const Sums& total, uint32_t rows, bool store,
                       uint32_t c, Coefficients& of_channels) const {
    const auto applied = finish_.Finish(total, rows, arguments.gradients, store);
    of_channels.on_value[c] = applied.on_g;
    of_channels.on_other[c] = applied.on_x;
    of_channels.constant[c] = applied.constant;
  }

 private:
  batch_norm::BackwardFinish finish_;
};

// Waits for the sums of all blocks, and calls `apply` with the thread's coefficients. `shared` must have room for twice
// SumsOfWarps(kGroups) Sums, followed by Coefficients.
template <bool kBackward, uint32_t kGroups, typename ApplyTiles>
__device__ void SumAndApply(const ConvolutionBatchNormArguments& arguments, const Work& work,
                            const LamportCounters& counters, ChannelSums& sums, Sums* shared, const ApplyTiles& apply) {
  const uint32_t c = threadIdx.x % kChannels;  // thread c writes the sums of channel c
  const std::conditional_t<kBackward, BackwardCoefficients, ForwardCoefficients> of_channel(arguments,
                                                                                            work.channel + c);
  LamportReduction<kGroups> reduction(arguments.lamport_buffer, counters, work, arguments.waits);
  constexpr uint32_t kSums = SumsOfWarps(kGroups);
  Coefficients& coefficients = *reinterpret_cast<Coefficients*>(shared + 2 * kSums);
  const Sums of_block = AddThreads<kGroups>(sums, shared);
  const uint32_t warp = threadIdx.x / kWarp;
  if (threadIdx.x < kChannels) {
    reduction.Publish(work, of_block);
  }
  if (arguments.next_early) {
    LetNextBegin();  // takes effect when all blocks have come here, so that all that wait are resident
  }
  reduction.ClearOther();
  const Sums total = AddWarps<kGroups>(work.shares > FewShares(kGroups)
                                           ? reduction.template AddShares<ManyAtOnce(kGroups)>(warp, work.shares)
                                           : reduction.template AddShares<kFewAtOnce>(warp, work.shares),
                                       shared + kSums);
  if (threadIdx.x < kChannels) {
    const ConvolutionTiles& tiles = arguments.tiles;
    const uint32_t rows = tiles.images << 2 * (tiles.size_log2 + tiles.spread_log2);
    of_channel.Make(arguments, total, rows, work.share == 0, c, coefficients);
  }
  SyncConsumers<kGroups>();
  LetNextBegin();
  // The atomic operation's result arrives while the batch norm is applied.
  const uint32_t closed_before = threadIdx.x == 0 ? reduction.BeginToClose() : 0;
  apply(PackCoefficients(coefficients));
  if (threadIdx.x == 0) {
    reduction.Close(closed_before);
  }
}

}  // namespace convolution_batch_norm
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_APPLY_CUH_
