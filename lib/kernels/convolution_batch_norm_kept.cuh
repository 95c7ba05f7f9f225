// Tiles that a block keeps in shared memory until their batch norm is applied (KeptTiles::kInShared). The slot in which
// a tile was transposed holds its values; backward, the masked gradients. If a block has more tiles than slots, which
// only a forward launch may have, its first tiles are overwritten, and are read again from the output.
//
// No barrier is needed in addition to those of WriteTile: a thread applies the batch norm to the same pixels and
// channels that it has written, and the groups have different slots.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_KEPT_CUH_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_KEPT_CUH_

#include "lib/kernels/convolution_batch_norm_apply.cuh"
#include "lib/kernels/convolution_batch_norm_block.cuh"
#include "lib/kernels/convolution_batch_norm_write.cuh"

namespace lockstep {
namespace convolution_batch_norm {

// Prefetches the residual of a tile into the L2 cache, one line per thread.
__device__ inline void PrefetchResidual(const ConvolutionBatchNormArguments& arguments, const Tile& tile,
                                        uint32_t channel, uint32_t pixels) {
  if (arguments.residual.residual == nullptr) {
    return;
  }
  for (uint32_t pixel = threadIdx.x % wgmma::kThreads; pixel < pixels; pixel += wgmma::kThreads) {
    const Place place(arguments.tiles, pixel);
    if (tile.image + place.image < arguments.tiles.images) {
      const size_t at = size_t{tile.in_batch + place.in_batch} * arguments.tiles.channels + channel;
      asm volatile("prefetch.global.L2 [%0];" ::"l"(arguments.residual.residual + at));
    }
  }
}

// Slots in shared memory, whose number must be a multiple of the groups: then a group overwrites only its own tiles.
struct TileSlots {
  uint32_t first;  // address of slot 0
  uint32_t count;

  // Returns the address of the slot of the block's tile number `turn`.
  __device__ uint32_t At(uint32_t turn) const { return first + turn % count * kStageBytes; }
  // Returns whether the slot still has this tile when the block has written all its tiles.
  __device__ bool Has(uint32_t turn, uint32_t block_tiles) const { return turn + count >= block_tiles; }
};

// Returns the pixels of a piece, the part of a tile whose batch norm is applied at once. With three groups, registers
// hold no more than half of a tile.
constexpr uint32_t PiecePixels(uint32_t groups) { return groups == 2 ? kStagePixels : kStagePixels / 2; }

// Pieces of a group's tiles whose batch norm remains to be applied: the first `count` of them, of which the last is
// next.
template <uint32_t kGroups>
struct GroupPieces {
  static constexpr uint32_t kPixels = PiecePixels(kGroups), kPerTile = kStagePixels / kPixels;

  const Work& work;
  const TileSlots& slots;
  uint32_t group, block_tiles, count;

  __device__ GroupPieces(const Work& work, const TileSlots& slots, uint32_t group, uint32_t block_tiles)
      : work(work), slots(slots), group(group), block_tiles(block_tiles),
        count((block_tiles + kGroups - 1 - group) / kGroups * kPerTile) {}

  // Loads this thread's part of the last remaining piece, except kept.count. `count` must not be 0. Backward, the
  // batch norm's input is also loaded, which the piece's result may replace.
  template <bool kBackward>
  __device__ void Recall(const ConvolutionBatchNormArguments& arguments, Kept<kPixels>& kept) const {
    constexpr uint32_t kItems = Kept<kPixels>::kItems;
    const uint32_t turn = group + (count - 1) / kPerTile * kGroups;
    const uint32_t first = (count - 1) % kPerTile * kPixels;  // pixel of the tile
    const Tile tile(arguments.tiles, work.first + turn * work.stride);
    Items<kItems> items;
    LoadItems<false, false, Writing::kPlain>(arguments, tile, work.channel, first, items);
#pragma unroll
    for (uint32_t k = 0; k < kItems; ++k) {
      kept.at[k] = items.at[k];
      kept.inside[k] = items.inside[k];
    }
    const Bf16* const other = kBackward ? arguments.x : arguments.residual.residual;
    if (kBackward || other != nullptr) {
#pragma unroll
      for (uint32_t k = 0; k < kItems; ++k) {
        kept.other[k] = Words::LoadOnce(other, items.at[k]);
      }
    }
    if (kBackward || slots.Has(turn, block_tiles)) {
      const uint32_t thread = threadIdx.x % wgmma::kThreads, slot = slots.At(turn) + first * wgmma::kLineBytes;
#pragma unroll
      for (uint32_t k = 0; k < kItems; ++k) {
        kept.value[k] = Words::Of(LoadShared(StagedAt(slot, thread / kChunks + k * kPixelsAtOnce, thread % kChunks)));
      }
    } else {
#pragma unroll
      for (uint32_t k = 0; k < kItems; ++k) {
        kept.value[k] = Words::LoadOnce(arguments.out, items.at[k]);
      }
    }
  }
};

}  // namespace convolution_batch_norm
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_KEPT_CUH_
