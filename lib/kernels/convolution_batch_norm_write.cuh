// Writes a group's registers to memory: transposed in shared memory, masked (backward), and added to the channels'
// sums.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_WRITE_CUH_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_WRITE_CUH_

#include <type_traits>

#include "lib/cuda/cache_policy.cuh"
#include "lib/kernels/convolution_batch_norm_block.cuh"
#include "lib/kernels/convolution_batch_norm_laps.h"

namespace lockstep {
namespace convolution_batch_norm {

using Bf16 = __nv_bfloat16;

// Returns the shared memory address at which a group's tile is transposed: (pixels, 64 channels), chunks of 16 bytes
// swizzled within a pixel's line.
__device__ inline uint32_t StagedAt(uint32_t staging, uint32_t pixel, uint32_t chunk) {
  return staging + pixel * wgmma::kLineBytes + (chunk ^ pixel % kChunks) * 16;
}

// Stages eight pixels by 64 channels of the group; this thread holds four values as described in wgmma.cuh.
__device__ inline void Stage(uint32_t staging, uint32_t first_pixel, const float (&value)[4]) {
  const uint32_t lane = threadIdx.x % kWarp;
  const uint32_t warp = threadIdx.x / kWarp % kGroupWarps;
  const uint32_t at = StagedAt(staging, first_pixel + lane % 8, warp * 2 + lane / 8 % 2);
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(at),
               "r"(PackBf16(value[0], value[1])), "r"(PackBf16(value[2], value[3]))
               : "memory");
}

__device__ inline uint4 LoadShared(uint32_t at) {
  uint4 value;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "r"(at)
               : "memory");
  return value;
}

__device__ inline void StoreShared(uint32_t at, const uint4& value) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(value.x), "r"(value.y), "r"(value.z),
               "r"(value.w)
               : "memory");
}

// Eight channels of a pixel, as four words of two channels.
struct Words {
  uint32_t word[kPackChannels / 2] = {};

  __device__ static Words Of(const uint4& value) { return {{value.x, value.y, value.z, value.w}}; }
  __device__ static Words Load(const Bf16* from, uint32_t pack) {
    return Of(reinterpret_cast<const uint4*>(from)[pack]);
  }
  // Loads a pack that no other kernel reads soon.
  __device__ static Words LoadOnce(const Bf16* from, uint32_t pack) {
    return Of(LoadEvictFirst(reinterpret_cast<const uint4*>(from) + pack));
  }
  __device__ void Store(Bf16* to, uint32_t pack) const {
    reinterpret_cast<uint4*>(to)[pack] = {word[0], word[1], word[2], word[3]};
  }
};

// Sums of a thread's eight channels over all its pixels: the origin that is subtracted from the values, and two sums.
struct ChannelSums {
  float origin[kPackChannels];
  float a[kPackChannels] = {};
  float b[kPackChannels] = {};
};

// Code that writes a tile, backward. All three give the same bits, except for the sign of a zero without an addend.
enum class Writing {
  kPlain,
  kShort,            // fewer instructions, for tiles of short depth
  kShortAndNoAddend  // also without those for the addend, which must be null
};

// Values that a thread reads for a pixel in addition to the tile, backward.
struct Around {
  Words x, addend;
  uint32_t mask;

  // Loads the values. `inside`: whether the pixel exists; otherwise the mask lets nothing pass.
  template <Writing kWriting = Writing::kPlain>
  __device__ void Load(const ConvolutionBatchNormArguments& arguments, uint32_t pack, bool inside) {
    x = Words::Load(arguments.x, pack);
    mask = inside ? arguments.relu_mask[pack] : 0;
    if constexpr (kWriting == Writing::kShortAndNoAddend) {
      addend = Words();
    } else {
      addend = arguments.addend != nullptr ? Words::LoadOnce(arguments.addend, pack) : Words();
    }
  }
};

// Prefetches the values that WriteOut will read for the tile into the L2 cache, one line per thread.
__device__ inline void PrefetchAround(const ConvolutionBatchNormArguments& arguments, const Tile& tile,
                                      uint32_t channel, uint32_t pixels) {
  for (uint32_t pixel = threadIdx.x % wgmma::kThreads; pixel < pixels; pixel += wgmma::kThreads) {
    const Place place(arguments.tiles, pixel);
    if (tile.image + place.image < arguments.tiles.images) {
      const size_t at = size_t{tile.in_batch + place.in_batch} * arguments.tiles.channels + channel;
      asm volatile("prefetch.global.L2 [%0];" ::"l"(arguments.x + at));
      asm volatile("prefetch.global.L2 [%0];" ::"l"(arguments.relu_mask + at / kPackChannels));
      if (arguments.addend != nullptr) {
        asm volatile("prefetch.global.L2 [%0];" ::"l"(arguments.addend + at));
      }
    }
  }
}

// ReLU mask of a pack. Get(i) returns the mask of word i, which has two channels: ones in the halves whose bit is set,
// among bits 2 * i and 2 * i + 1.
struct PassingBits {
  uint32_t mask;

  __device__ uint32_t Get(uint32_t i) const {
    const uint32_t bits = mask >> 2 * i & 3u;
    return ((bits | bits << 15) & 0x00010001u) * 0xFFFFu;
  }
};

// Does the same for all words of a pack with fewer instructions: the top bit of each byte is a bit of the mask, and one
// instruction fills two bytes each with the top bit of two bytes.
struct PassingBytes {
  uint32_t first, second;  // bits 0 to 3 and 4 to 7 of the mask

  __device__ explicit PassingBytes(uint32_t mask) : first((mask & 0xFu) * kToTops), second((mask >> 4) * kToTops) {}
  __device__ uint32_t Get(uint32_t i) const {
    uint32_t passing;
    asm("prmt.b32 %0, %1, 0, %2;" : "=r"(passing) : "r"(i < 2 ? first : second), "r"(i % 2 == 0 ? 0x9988u : 0xBBAAu));
    return passing;
  }

 private:
  static constexpr uint32_t kToTops = 1u << 7 | 1u << 14 | 1u << 21 | 1u << 28;
};

template <Writing kWriting>
using PassingOf = std::conditional_t<kWriting == Writing::kPlain, PassingBits, PassingBytes>;

// Adds two channels to the sums if the pixel exists. Returns the word; backward, the masked gradient.
template <bool kBackward, Writing kWriting = Writing::kPlain>
__device__ inline uint32_t AddWord(uint32_t word, bool inside, const Around& around, const PassingOf<kWriting>& passing,
                                   uint32_t i, ChannelSums& sums) {
  if (kBackward) {
    if constexpr (kWriting != Writing::kShortAndNoAddend) {
      const uint32_t added = around.addend.word[i];
      word = PackBf16(LowBf16(word) + LowBf16(added), HighBf16(word) + HighBf16(added));
    }
    word &= passing.Get(i);
  }
  const float low = LowBf16(word), high = HighBf16(word);
  const float low_from = (kBackward ? LowBf16(around.x.word[i]) : low) - sums.origin[2 * i];
  const float high_from = (kBackward ? HighBf16(around.x.word[i]) : high) - sums.origin[2 * i + 1];
  const float low_added = kBackward ? low : inside ? low_from : 0.0f;
  const float high_added = kBackward ? high : inside ? high_from : 0.0f;
  sums.a[2 * i] += low_added;
  sums.a[2 * i + 1] += high_added;
  sums.b[2 * i] += low_added * low_from;
  sums.b[2 * i + 1] += high_added * high_from;
  return word;
}

// Lets the clock's lap not end before all loads have arrived.
template <uint32_t kItems, typename Clock>
__device__ void AwaitLoads(const Around (&around)[kItems], Clock& clock) {
#pragma unroll
  for (const Around& of_item : around) {
#pragma unroll
    for (uint32_t i = 0; i < kPackChannels / 2; ++i) {
      clock.Need(of_item.x.word[i]);
      clock.Need(of_item.addend.word[i]);
    }
    clock.Need(of_item.mask);
  }
  clock.AwaitNeeded();
}

// Lets the clock's lap not end before the values and the sums have been computed.
template <uint32_t kItems, typename Clock>
__device__ void AwaitSums(const Words (&value)[kItems], const ChannelSums& sums, Clock& clock) {
#pragma unroll
  for (const Words& of_item : value) {
#pragma unroll
    for (const uint32_t word : of_item.word) {
      clock.Need(word);
    }
  }
#pragma unroll
  for (uint32_t i = 0; i < kPackChannels; ++i) {
    clock.Need(__float_as_uint(sums.a[i]));
    clock.Need(__float_as_uint(sums.b[i]));
  }
  clock.AwaitNeeded();
}

// Pixels that a thread handles at once, every kPixelsAtOnce-th of the tile: their indices in packs, whether they exist,
// and backward what is loaded for them.
template <uint32_t kItems>
struct Items {
  Around around[kItems];
  uint32_t at[kItems];
  bool inside[kItems];
};

// Begins the loads for kItems * kPixelsAtOnce pixels, starting at the tile's pixel `first`, which must be a multiple of
// this number. kWhole: all images of the tile belong to the batch, so that no pixel is skipped.
template <bool kBackward, bool kWhole, Writing kWriting, uint32_t kItems>
__device__ void LoadItems(const ConvolutionBatchNormArguments& arguments, const Tile& tile, uint32_t channel,
                          uint32_t first, Items<kItems>& items) {
  const ConvolutionTiles& tiles = arguments.tiles;
  const uint32_t thread = threadIdx.x % wgmma::kThreads;
  const uint32_t chunk = thread % kChunks, pixel = thread / kChunks;
  const Place of_thread(tiles, pixel);
  const uint32_t packs = tiles.channels / kPackChannels;  // packs per pixel
  const uint32_t column = channel / kPackChannels + chunk;
#pragma unroll
  for (uint32_t k = 0; k < kItems; ++k) {
    const Place of_item(tiles, first + k * kPixelsAtOnce);
    items.inside[k] = kWhole || tile.image + of_thread.image + of_item.image < tiles.images;
    // For a missing pixel, loads the batch's first pixel, so that loads need no branch.
    items.at[k] = (items.inside[k] ? tile.in_batch + of_thread.in_batch + of_item.in_batch : 0) * packs + column;
    if (kBackward) {
      items.around[k].template Load<kWriting>(arguments, items.at[k], items.inside[k]);
    }
  }
}

// Writes the pixels, which must be staged, and adds them to the sums. No branch separates the instructions of different
// pixels. kKeep: writes them also to where they are staged; the output may then be null.
template <bool kBackward, Writing kWriting, bool kKeep, uint32_t kItems, typename Clock>
__device__ void WriteItems(const ConvolutionBatchNormArguments& arguments, uint32_t staging, const Items<kItems>& items,
                           ChannelSums& sums, Clock& clock) {
  const uint32_t thread = threadIdx.x % wgmma::kThreads;
  const uint32_t chunk = thread % kChunks, pixel = thread / kChunks;
  if constexpr (Clock::kRuns && kBackward) {
    AwaitLoads(items.around, clock);
    clock.End(Lap::kArrival);
  }
  Words value[kItems];
#pragma unroll
  for (uint32_t k = 0; k < kItems; ++k) {
    value[k] = Words::Of(LoadShared(StagedAt(staging, pixel + k * kPixelsAtOnce, chunk)));
  }
#pragma unroll
  for (uint32_t k = 0; k < kItems; ++k) {
#pragma unroll
    for (uint32_t i = 0; i < kPackChannels / 2; ++i) {
      value[k].word[i] =
          AddWord<kBackward, kWriting>(value[k].word[i], items.inside[k], items.around[k],
                                       PassingOf<kWriting>{kBackward ? items.around[k].mask : 0}, i, sums);
    }
    if (!Clock::kRuns && items.inside[k] && (!kKeep || arguments.out != nullptr)) {
      value[k].Store(arguments.out, items.at[k]);
    }
    if constexpr (kKeep) {
      const auto& word = value[k].word;
      StoreShared(StagedAt(staging, pixel + k * kPixelsAtOnce, chunk), {word[0], word[1], word[2], word[3]});
    }
  }
  if constexpr (Clock::kRuns) {
    AwaitSums(value, sums, clock);
    clock.End(Lap::kSums);
#pragma unroll
    for (uint32_t k = 0; k < kItems; ++k) {
      if (items.inside[k]) {
        value[k].Store(arguments.out, items.at[k]);
      }
    }
    clock.End(Lap::kStores);
  }
}

// Writes kItems * kPixelsAtOnce staged pixels, starting at the tile's pixel `first` (LoadItems), and adds them to the
// sums. All loads are issued before the first is waited for.
template <bool kBackward, uint32_t kItems, bool kWhole, bool kKeep, typename Clock>
__device__ void WriteOut(const ConvolutionBatchNormArguments& arguments, const Tile& tile, uint32_t channel,
                         uint32_t staging, uint32_t first, ChannelSums& sums, Clock& clock) {
  Items<kItems> items;
  LoadItems<kBackward, kWhole, Writing::kPlain>(arguments, tile, channel, first, items);
  clock.End(Lap::kLoads);
  WriteItems<kBackward, Writing::kPlain, kKeep>(arguments, staging, items, sums, clock);
}

// Stages pixels first_pixel ... first_pixel + kCount - 1 of the group's tile.
template <uint32_t kCount, uint32_t kPixels>
__device__ void StagePixels(uint32_t staging, uint32_t first_pixel, const float (&acc)[kPixels]) {
#pragma unroll
  for (uint32_t j = 0; j < kCount / 8; ++j) {
    const uint32_t at = (first_pixel / 8 + j) * 4;
    Stage(staging, j * 8, {acc[at], acc[at + 1], acc[at + 2], acc[at + 3]});
  }
}

// Stages a group's tile and writes it (WriteItems).
template <bool kBackward, bool kWhole, uint32_t kPixels, bool kKeep, typename Clock>
__device__ void WriteTile(const ConvolutionBatchNormArguments& arguments, const Tile& tile, uint32_t channel,
                          uint32_t group, uint32_t staging, const float (&acc)[kPixels / 2], ChannelSums& sums,
                          Clock& clock) {
  constexpr uint32_t kStaged = kPixels < kStagePixels ? kPixels : kStagePixels;
#pragma unroll
  for (uint32_t pass = 0; pass < kPixels / kStaged; ++pass) {
    SyncGroup(group);
    clock.End(Lap::kBuffer);
    StagePixels<kStaged>(staging, pass * kStaged, acc);
    SyncGroup(group);
    clock.End(Lap::kStaging);
    constexpr uint32_t kItems = kBackward ? kItemsInFlight : kStaged / kPixelsAtOnce;
#pragma unroll
    for (uint32_t first = 0; first < kStaged; first += kItems * kPixelsAtOnce) {
      WriteOut<kBackward, kItems, kWhole, kKeep>(arguments, tile, channel, staging + first * wgmma::kLineBytes,
                                                 pass * kStaged + first, sums, clock);
    }
  }
}

// Does the same for a tile of kStagePixels, backward, but begins all loads before the barrier of threads that ends the
// staging. Thus they overlap with it, and the compiler cannot delay some of them until others have arrived.
template <bool kWhole, Writing kWriting, typename Clock>
__device__ void WriteShortTile(const ConvolutionBatchNormArguments& arguments, const Tile& tile, uint32_t channel,
                               uint32_t group, uint32_t staging, const float (&acc)[kStagePixels / 2],
                               ChannelSums& sums, Clock& clock) {
  static_assert(kItemsInFlight * kPixelsAtOnce == kStagePixels, "a thread has all of its pixels in flight");
  SyncGroup(group);
  clock.End(Lap::kBuffer);
  StagePixels<kStagePixels>(staging, 0, acc);
  __syncwarp();  // keeps the compiler from beginning loads while the accumulator occupies registers
  clock.End(Lap::kStaging);
  Items<kItemsInFlight> items;
  LoadItems<true, kWhole, kWriting>(arguments, tile, channel, 0, items);
  clock.End(Lap::kLoads);
  SyncGroup(group);
  WriteItems<true, kWriting, false>(arguments, staging, items, sums, clock);
}

// Writes a tile in the shortest of these ways.
template <typename Clock>
__device__ void WriteShort(const ConvolutionBatchNormArguments& arguments, const Tile& tile, uint32_t channel,
                           uint32_t group, uint32_t staging, const float (&acc)[kStagePixels / 2], ChannelSums& sums,
                           Clock& clock) {
  if (tile.image + (1u << arguments.tiles.tile_images_log2) > arguments.tiles.images) {
    WriteShortTile<false, Writing::kShort>(arguments, tile, channel, group, staging, acc, sums, clock);
  } else if (arguments.addend != nullptr) {
    WriteShortTile<true, Writing::kShort>(arguments, tile, channel, group, staging, acc, sums, clock);
  } else {
    WriteShortTile<true, Writing::kShortAndNoAddend>(arguments, tile, channel, group, staging, acc, sums, clock);
  }
}

// Bytes that a block receives from the others of its cluster.
__device__ inline uint32_t ReceivedBytes(const ConvolutionTiles& tiles, uint32_t pixels) {
  const uint32_t bytes = kChannels * pixels * static_cast<uint32_t>(sizeof(float));
  return bytes - (bytes >> tiles.splits_log2);
}

// Exchanges partial sums if the depth is shared: every block sends each other block the pixels which that block owns,
// and stages its own pixels, added up in the order of the ranks. A thread adds up values of itself and of the other
// blocks' threads of its number, so that its own values need only an ordinary store. Returns the number of pixels that
// this block owns; they start at rank times this number.
template <uint32_t kPixels>
__device__ uint32_t StageShare(const ConvolutionBatchNormArguments& arguments, const Work& work, uint32_t staging,
                               uint32_t exchange, uint32_t barrier, const float (&acc)[kPixels / 2]) {
  constexpr uint32_t kPartsLog2 = kPixels == 128 ? 4 : 3, kPartBytes = wgmma::kThreads * sizeof(float4);
  static_assert(kPixels / 8 == 1u << kPartsLog2, "parts of eight pixels");
  const uint32_t splits = 1u << arguments.tiles.splits_log2;
  const uint32_t mine_log2 = kPartsLog2 - arguments.tiles.splits_log2, mine = 1u << mine_log2;
  const uint32_t of_thread = exchange + threadIdx.x % wgmma::kThreads * static_cast<uint32_t>(sizeof(float4));
#pragma unroll
  for (uint32_t j = 0; j < 1u << kPartsLog2; ++j) {
    const uint32_t to = j >> mine_log2;
    const uint32_t at = of_thread + ((work.rank << mine_log2) + (j & (mine - 1))) * kPartBytes;
    const float4 part = {acc[4 * j], acc[4 * j + 1], acc[4 * j + 2], acc[4 * j + 3]};
    StoreOrSend(to == work.rank, at, InBlock(at, to), InBlock(barrier, to), part);
  }
  WaitFor(barrier, 0);
  for (uint32_t first = 0; first < mine; first += 2) {
#pragma unroll
    for (uint32_t j = first; j < first + 2; ++j) {
      float sum[4] = {};
      const auto add = [&](uint32_t from) {
        const uint4 part = LoadShared(of_thread + ((from << mine_log2) + j) * kPartBytes);
        sum[0] += __uint_as_float(part.x);
        sum[1] += __uint_as_float(part.y);
        sum[2] += __uint_as_float(part.z);
        sum[3] += __uint_as_float(part.w);
      };
      add(0);
      add(1);
#pragma unroll 1
      for (uint32_t from = 2; from < splits; ++from) {
        add(from);
      }
      Stage(staging, j * 8, sum);
    }
  }
  SyncGroup(0);
  return mine * 8;
}

template <bool kBackward, uint32_t kPixels>
__device__ void WriteShare(const ConvolutionBatchNormArguments& arguments, const Tile& tile, const Work& work,
                           uint32_t staging, uint32_t exchange, uint32_t barrier, const float (&acc)[kPixels / 2],
                           ChannelSums& sums) {
  const uint32_t pixels = StageShare<kPixels>(arguments, work, staging, exchange, barrier, acc);
  NoClock clock;
  for (uint32_t first = 0; first < pixels; first += kPixelsAtOnce) {
    WriteOut<kBackward, 1, false, false>(arguments, tile, work.channel, staging + first * wgmma::kLineBytes,
                                         work.rank * pixels + first, sums, clock);
  }
}

}  // namespace convolution_batch_norm
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_WRITE_CUH_
