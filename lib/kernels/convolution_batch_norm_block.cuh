// Set-up of a block of the convolution with a batch norm's sums: its threads, its shared memory with the rings, and its
// tiles.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_BLOCK_CUH_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_BLOCK_CUH_

#include "lib/cuda/main_loop.cuh"
#include "lib/cuda/slot_ring.cuh"
#include "lib/cuda/tensor_copy.cuh"
#include "lib/cuda/wgmma.cuh"
#include "lib/kernels/convolution_batch_norm_kernel.h"
#include "lib/kernels/pack.cuh"

namespace lockstep {
namespace convolution_batch_norm {

using main_loop::kGroupWarps;
using main_loop::kWarp;

constexpr uint32_t kApplyingGroups = 2;  // groups of warps that multiply, if their tiles stay in registers

// Threads and warps of `groups` groups that multiply, and threads of their block: the first thread of one more group
// copies.
constexpr uint32_t ConsumersOf(uint32_t groups) { return groups * wgmma::kThreads; }
constexpr uint32_t ConsumerWarpsOf(uint32_t groups) { return groups * kGroupWarps; }
constexpr uint32_t ThreadsOf(uint32_t groups) { return ConsumersOf(groups + 1); }

using Ring = SlotRing;

// Input that a stage of the depth reads: 64 channels, for one column of the filter unless stated otherwise.
enum class Kind {
  kBox,   // 3x3: the whole neighbourhood, a box with a border on all sides; each tap begins at another line of the box
  kSame,  // 3x3, images too narrow for a border: one box; each filter row reads it one image row lower
  kHalved,  // 3x3 with a stride of 2: odd rows for the filter's first and last row, even rows for its middle row
  kPoints,  // 1x1: all rows and columns; with a stride of 2 the even ones
  kSpread,  // gradient of kHalved: one box; the number of filter columns and rows depends on the tile's parity
};
template <Kind kKind>
constexpr uint32_t kFilterOf = kKind == Kind::kPoints ? 1 : 3;
template <Kind kKind>
constexpr uint32_t kTapsOf = kKind == Kind::kBox ? 9 : kFilterOf<kKind>;  // taps of a stage
template <Kind kKind>
constexpr uint32_t kStagesOf = kFilterOf<kKind>* kFilterOf<kKind> / kTapsOf<kKind>;  // stages per 64 channels

constexpr uint32_t kChannels = wgmma::kRows;  // channels of a tile
constexpr uint32_t kWeightBytes = kChannels * wgmma::kLineBytes;
static_assert(kWeightBytes / kPairBlocks % wgmma::kPatternBytes == 0, "half a slot starts at a swizzle pattern");
constexpr uint32_t kMaxSplitPixels = 128;  // maximum pixels of a tile whose depth is shared
constexpr uint32_t kStagePixels = 128;     // pixels that a group transposes at a time
constexpr uint32_t kStageBytes = kStagePixels * wgmma::kLineBytes;
constexpr uint32_t kChunks = kChannels / kPackChannels;        // chunks of a pixel
constexpr uint32_t kPixelsAtOnce = wgmma::kThreads / kChunks;  // pixels that a group handles at once
constexpr uint32_t kItemsInFlight = 8;                         // items that a thread has in flight, backward

// Layout of a block's shared memory. The first two parts start at whole swizzle patterns.
struct SharedPlan {
  uint32_t groups;  // groups that multiply; each has memory to transpose a tile, or `tile_slots` of the rings
  uint32_t weights, staging, exchange, barriers, bytes;

  __host__ __device__ SharedPlan(const ConvolutionRings& rings, uint32_t groups)
      : groups(groups), weights(rings.input_slots * rings.input_stride()),
        staging(weights + rings.weight_slots * kWeightBytes),
        exchange(staging + (rings.tile_slots != 0 ? rings.tile_slots : groups) * kStageBytes),
        barriers(exchange + rings.exchange_bytes),
        bytes(barriers + kBarrierBytes * (2 * (rings.input_slots + rings.weight_slots) + 1 + groups)) {}

  __host__ __device__ uint32_t exchanged() const { return bytes - (1 + groups) * kBarrierBytes; }
  __host__ __device__ uint32_t multiplied(uint32_t group) const { return bytes - (group + 1) * kBarrierBytes; }
};

// Work of a block: the tiles first, first + stride, ... of one channel block, and of each tile the stages begin ... end
// - 1. The two blocks of a pair take the tiles 2i and 2i + 1; both have equally many.
struct Work {
  uint32_t rank;  // rank in the cluster
  uint32_t channel_block, channel;
  uint32_t first, stride;
  uint32_t begin, end;
  uint32_t share, shares;  // index among the blocks that contribute sums to this channel block, and their number

  __device__ explicit Work(const ConvolutionTiles& tiles) {
    const uint32_t splits = 1u << tiles.splits_log2;
    const uint32_t unit = blockIdx.x >> tiles.splits_log2;
    rank = blockIdx.x & (splits - 1);
    channel_block = unit % tiles.channel_blocks;
    channel = channel_block * kChannels;
    first = unit / tiles.channel_blocks;
    stride = (gridDim.x >> tiles.splits_log2) / tiles.channel_blocks;
    begin = tiles.stages * rank >> tiles.splits_log2;
    end = tiles.stages * (rank + 1) >> tiles.splits_log2;
    share = first * splits + rank;
    shares = stride * splits;
  }

  // Returns the work of a block of a pair.
  __device__ static Work OfPair(const ConvolutionTiles& tiles) {
    Work work(tiles);
    const uint32_t pair = blockIdx.x / kPairBlocks;
    work.rank = blockIdx.x % kPairBlocks;
    work.channel_block = pair % tiles.channel_blocks;
    work.channel = work.channel_block * kChannels;
    work.share = work.first = pair / tiles.channel_blocks * kPairBlocks + work.rank;
    return work;
  }
};

// Position of a pixel of a tile. The position is additive: if a pixel's number is split into two disjoint sets of bits,
// the two positions add up to the pixel's position.
struct Place {
  uint32_t image;     // image within the tile
  uint32_t in_batch;  // pixels of the batch from the tile's first image and row to this pixel

  __device__ Place(const ConvolutionTiles& tiles, uint32_t pixel) {
    const uint32_t column = pixel & ((1u << tiles.width_log2) - 1);
    const uint32_t above = pixel >> tiles.width_log2;
    image = above & ((1u << tiles.tile_images_log2) - 1);
    const uint32_t row = above >> tiles.tile_images_log2;
    in_batch = InBatch(tiles, image, row, column);
  }

  // Returns the number of pixels of the batch before this image, row and column; of the first of the four interleaved
  // images, if there are four.
  __device__ static uint32_t InBatch(const ConvolutionTiles& tiles, uint32_t image, uint32_t row, uint32_t column) {
    const uint32_t size_log2 = tiles.size_log2 + tiles.spread_log2;
    return (image << 2 * size_log2) + (row << (size_log2 + tiles.spread_log2)) + (column << tiles.spread_log2);
  }
};

// First image, row and column of a tile, and its first pixel in the batch.
struct Tile {
  uint32_t odd_row = 0, odd_column = 0;  // parity that selects one of the four interleaved images
  uint32_t image, row, column, in_batch;

  __device__ Tile(const ConvolutionTiles& tiles, uint32_t index) {
    if (tiles.spread_log2 != 0) {
      // Tiles with the most taps come first, so that the last tiles are short.
      const uint32_t quarter = tiles.pixel_tiles / 4;
      odd_row = index < 2 * quarter;
      odd_column = index / quarter % 2 == 0;
      index %= quarter;
    }
    column = (index & ((1u << tiles.column_tiles_log2) - 1)) << tiles.width_log2;
    index >>= tiles.column_tiles_log2;
    row = (index & ((1u << tiles.row_tiles_log2) - 1)) * tiles.tile_rows;
    image = index >> tiles.row_tiles_log2 << tiles.tile_images_log2;
    in_batch = Place::InBatch(tiles, image, row, column) + (odd_row << (tiles.size_log2 + 1)) + odd_column;
  }
};

__device__ inline bool HasShortcut(const ConvolutionBatchNormArguments& arguments, const Tile& tile) {
  return arguments.shortcut && tile.odd_row == 0 && tile.odd_column == 0;
}

// Returns the stages of a tile's depth that this block processes.
template <Kind kKind>
__device__ main_loop::Stages StagesOf(const ConvolutionBatchNormArguments& arguments, const Work& work,
                                      const Tile& tile) {
  if (kKind == Kind::kSpread) {
    const uint32_t columns = 1 + tile.odd_column + (HasShortcut(arguments, tile) ? 1 : 0);
    return {0, arguments.tiles.depth_blocks * columns, 1 + tile.odd_row};
  }
  return {work.begin, work.end, kTapsOf<kKind>};
}

__device__ inline void SyncGroup(uint32_t group) {
  asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "n"(wgmma::kThreads) : "memory");
}
template <uint32_t kGroups>
__device__ void SyncConsumers() {
  asm volatile("bar.sync %0, %1;" ::"n"(kGroups + 1), "n"(ConsumersOf(kGroups)) : "memory");
}

}  // namespace convolution_batch_norm
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_BLOCK_CUH_
