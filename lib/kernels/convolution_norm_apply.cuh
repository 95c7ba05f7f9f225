// The batch norm applied by the launch that took its sums: the tiles stay in registers until all blocks' sums are
// there.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_NORM_APPLY_CUH_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_NORM_APPLY_CUH_

#include "lib/kernels/convolution_norm_block.cuh"
#include "lib/kernels/convolution_norm_sums.cuh"
#include "lib/kernels/convolution_norm_write.cuh"

namespace lockstep {
namespace convolution_norm {

constexpr uint32_t kKeptPixels = kSplitPixels / kPixelsAtOnce;  // of a thread
constexpr uint32_t kHalf = kKeptPixels / 2;                     // where two blocks share a tile's depth

// A thread's part of a tile: what the convolution gave, and what is added to it normalised.
struct Kept {
  Words value[kKeptPixels], residual[kKeptPixels];
  uint32_t at[kKeptPixels];  // packs
  bool inside[kKeptPixels];
  uint32_t count;  // of the above: none, half or all
};

// Takes `count` times kPixelsAtOnce staged pixels, from the tile's pixel `first` on, writes them out and adds them to
// the sums. No branch keeps the pixels' instructions apart.
__device__ inline void Keep(const ConvolutionNormArguments& arguments, const Tile& tile, uint32_t channel,
                            uint32_t staging, uint32_t first, uint32_t count, Kept& kept, ChannelSums& sums) {
  kept.count = count;
  const ConvolutionTiles& tiles = arguments.tiles;
  const uint32_t thread = threadIdx.x % wgmma::kThreads;
  const uint32_t chunk = thread % kChunks, pixel = thread / kChunks;
  const Place of_thread(tiles, pixel);
  const uint32_t packs = tiles.channels / kPackChannels;  // of a pixel
  const uint32_t column = channel / kPackChannels + chunk;
#pragma unroll
  for (uint32_t k = 0; k < kKeptPixels; ++k) {
    if (k % kHalf == 0 && k >= count) {
      break;
    }
    const Place of_item(tiles, first + k * kPixelsAtOnce);
    kept.inside[k] = tile.image + of_thread.image + of_item.image < tiles.images;
    kept.at[k] = (kept.inside[k] ? tile.in_batch + of_thread.in_batch + of_item.in_batch : 0) * packs + column;
    if (arguments.residual.residual != nullptr) {
      kept.residual[k] = Words::Load(arguments.residual.residual, kept.at[k]);
    }
  }
#pragma unroll
  for (uint32_t k = 0; k < kKeptPixels; ++k) {
    if (k % kHalf == 0 && k >= count) {
      break;
    }
    kept.value[k] = Words::Of(LoadShared(StagedAt(staging, pixel + k * kPixelsAtOnce, chunk)));
#pragma unroll
    for (uint32_t i = 0; i < kPackChannels / 2; ++i) {
      AddWord<false>(kept.value[k].word[i], kept.inside[k], {}, i, sums);
    }
    if (kept.inside[k]) {
      kept.value[k].Store(arguments.out, kept.at[k]);
    }
  }
}

// y = relu(on_value * value + on_residual * residual + constant), of 64 channels in shared memory.
struct Coefficients {
  float on_value[kChannels], on_residual[kChannels], constant[kChannels];
};

__device__ inline float Half(const Words& words, uint32_t i) {
  return i % 2 == 0 ? LowBf16(words.word[i / 2]) : HighBf16(words.word[i / 2]);
}

__device__ inline void Apply(const ConvolutionNormArguments& arguments, const Coefficients& of_channels,
                             const Kept& kept) {
  const uint32_t channel = threadIdx.x % kChunks * kPackChannels;
  float on_value[kPackChannels], on_residual[kPackChannels], constant[kPackChannels];
#pragma unroll
  for (uint32_t i = 0; i < kPackChannels; ++i) {
    on_value[i] = of_channels.on_value[channel + i];
    on_residual[i] = of_channels.on_residual[channel + i];
    constant[i] = of_channels.constant[channel + i];
  }
#pragma unroll
  for (uint32_t k = 0; k < kKeptPixels; ++k) {
    if (k % kHalf == 0 && k >= kept.count) {
      break;
    }
    // In the order of batch_norm_rows.cuh, for the same bits.
    float value[kPackChannels];
    uint32_t mask = 0;
#pragma unroll
    for (uint32_t i = 0; i < kPackChannels; ++i) {
      value[i] = on_value[i] * Half(kept.value[k], i) + constant[i];
      if (arguments.residual.residual != nullptr) {
        value[i] += on_residual[i] * Half(kept.residual[k], i);
      }
      mask |= value[i] > 0 ? 1u << i : 0u;
      value[i] = fmaxf(value[i], 0.0f);
    }
    if (kept.inside[k]) {
      arguments.y_mask[kept.at[k]] = static_cast<uint8_t>(mask);
      Store(value, arguments.y + size_t{kept.at[k]} * kPackChannels);
    }
  }
}

// Waits for all blocks' sums and writes what is kept, normalised. `shared`: as for LeaveShare, with Coefficients
// behind.
__device__ inline void SumAndApply(const ConvolutionNormArguments& arguments, const Work& work, ChannelSums& sums,
                                   const Kept& kept, Sums* shared) {
  // Thread c leaves channel c. Loaded early, so that nobody waits for it when the sums are there.
  const uint32_t c = threadIdx.x % kChannels, channel = work.channel + c;
  const batch_norm::ForwardFinish finish(arguments.parameters, channel);
  const float on_residual = arguments.residual.scale != nullptr ? arguments.residual.scale[channel] : 1.0f;
  const float shift = arguments.residual.shift != nullptr ? arguments.residual.shift[channel] : 0.0f;
  const Workspace workspace(arguments.workspace, work);
  Coefficients& coefficients = *reinterpret_cast<Coefficients*>(shared + kConsumerWarps * kChannels);
  LeaveShare(sums, work, workspace, shared);
  WaitForAllShares(work, workspace);
  const Sums total = AddAllShares(work, workspace, shared);
  if (threadIdx.x < kChannels) {
    const uint32_t rows = arguments.tiles.images << 2 * arguments.tiles.size_log2;
    const auto applied = finish.Finish(total, rows, arguments.parameters, arguments.state, work.share == 0);
    coefficients.on_value[c] = applied.scale;
    coefficients.on_residual[c] = on_residual;
    coefficients.constant[c] = applied.shift + shift;
  }
  SyncConsumers();
  Apply(arguments, coefficients, kept);
  if (threadIdx.x == 0) {
    LeaveCounters(work, workspace);
  }
}

}  // namespace convolution_norm
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_NORM_APPLY_CUH_
