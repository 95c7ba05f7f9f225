// Matrix product: how the main loop copies boxes of input and weights, and how its instructions read them.
#ifndef LOCKSTEP_LIB_INT8_CUDA_HOPPER_MULTIPLY_CUH_
#define LOCKSTEP_LIB_INT8_CUDA_HOPPER_MULTIPLY_CUH_

#include "lib/cuda/main_loop.cuh"
#include "lib/cuda/overlapped_launch.cuh"
#include "lib/int8_cuda/hopper_block.cuh"

namespace lockstep {
namespace hopper {

// Returns the row of an input slot at which the rows for `filter_row` begin.
template <typename S>
__device__ uint32_t RowsOf(const HopperTiles& tiles, uint32_t filter_row) {
  if (S::kKind == HopperKind::kHalved) {
    return filter_row == 1 ? tiles.tile_rows + 1 : filter_row / 2;
  }
  return filter_row;
}

template <typename S>
__device__ uint32_t RowBytes(const HopperTiles& tiles) {
  return S::kInputLine * tiles.box_columns << tiles.tile_images_log2;
}

// Returns the byte of an input slot at which tap `tap` of a stage begins.
template <typename S>
__device__ uint32_t BytesOf(const HopperTiles& tiles, uint32_t tap) {
  if (S::kKind == HopperKind::kBox) {
    return tap / S::kFilter * RowBytes<S>(tiles) + tap % S::kFilter * S::kLine;
  }
  return RowsOf<S>(tiles, tap) * RowBytes<S>(tiles);
}

// Copies of a block: boxes of one channel block's weights, and boxes of the input's tiles.
template <typename S>
struct TileCopies {
  const HopperTiles& tiles;
  const HopperMaps& maps;
  uint32_t channel;  // first channel of the tiles

  __device__ void Weights(const Tile&, uint32_t stage, uint32_t tap, const SlotRing& ring) const {
    CopyBox(maps.weights, ring.Data(), ring.Full(), static_cast<int32_t>(stage / S::kStages * S::kLine),
            static_cast<int32_t>(tap * S::kStages + stage % S::kStages), static_cast<int32_t>(channel));
  }

  __device__ void Input(const Tile& tile, uint32_t stage, const SlotRing& ring) const {
    const CUtensorMap(&input)[4] = maps.input;
    const int32_t depth = static_cast<int32_t>(stage / S::kStages * S::kLine);
    const int32_t column = static_cast<int32_t>(stage % S::kStages);
    const int32_t image = static_cast<int32_t>(tile.image), row = static_cast<int32_t>(tile.row);
    if constexpr (S::kKind == HopperKind::kBox || S::kKind == HopperKind::kStem) {
      CopyBox(input[0], ring.Data(), ring.Full(), depth, static_cast<int32_t>(tile.column) - 1, image, row - 1);
    } else if constexpr (S::kKind == HopperKind::kSame) {
      CopyBox(input[0], ring.Data(), ring.Full(), depth, column - 1, image, row - 1);
    } else if constexpr (S::kKind == HopperKind::kHalved) {
      // Column 2x - 1 is the odd one of pair x - 1, and 2x + 1 that of pair x. The same holds for rows.
      const uint32_t odd = column != 1;
      const int32_t pair = column == 0 ? -1 : 0;
      CopyBox(input[2 + odd], ring.Data(), ring.Full(), depth, pair, image, row - 1);
      CopyBox(input[odd], ring.Data() + RowsOf<S>(tiles, 1) * RowBytes<S>(tiles), ring.Full(), depth, pair, image, row);
    } else {
      CopyBox(input[0], ring.Data(), ring.Full(), depth, 0, image, row);
    }
  }
};

// Copies as many of a tile's lines of weights as there are slots. Returns their number. No launch writes weights, so
// the copies need not wait.
template <typename S>
__device__ uint32_t CopyFirstWeights(const TileCopies<S>& copies, const Tile& tile, const Work& work, SlotRing& ring) {
  const uint32_t count = min(ring.slots, (work.end - work.begin) * S::kTaps);
  for (uint32_t i = 0; i < count; ++i) {
    main_loop::CopyWeights(copies, tile, work.begin + i / S::kTaps, i % S::kTaps, ring);
  }
  return count;
}

// Makes all copies of a block. The first ones do not wait for the previous launch.
template <typename S>
__device__ void CopyTiles(const HopperTiles& tiles, const Work& work, const HopperMaps& maps, main_loop::Rings& rings) {
  const TileCopies<S> copies = {tiles, maps, work.channel};
  uint32_t begun = CopyFirstWeights<S>(copies, Tile(tiles, work.first), work, rings.weights);
  WaitForLaunchBefore();
  for (uint32_t index = work.first; index < tiles.pixel_tiles; index += work.stride) {
    main_loop::CopyTile(copies, Tile(tiles, index), work.StagesOf<S>(), {.slots = begun, .all = false}, rings);
    begun = rings.weights.stays ? begun : 0;
  }
}

// Product of a group's 64 channels of a tile. `part`: index of the 64 channels in the tile.
template <typename S>
struct TileProduct {
  static constexpr uint32_t kStepBytes = 32;  // bytes of the depth per instruction
  static constexpr uint32_t kTaps = S::kTaps;
  static constexpr uint32_t kSteps = S::kLine / kStepBytes;
  static constexpr uint32_t kDeeperWeights = kStepBytes / 16;
  static constexpr uint32_t kDeeperInput = kStepBytes / 16;
  static constexpr bool kInTurn = !S::kTogether;
  static constexpr uint32_t kWeightBlocks = 1;

  const HopperTiles& tiles;
  uint32_t part;

  __device__ uint64_t Weights(uint32_t slot) const {
    constexpr uint32_t kEightLines = 8 * S::kLine;
    const uint32_t address = slot + part * kChannels * S::kLine;
    return S::kLine == 128 ? wgmma::Describe(address, kEightLines) : wgmma::DescribeShortLines(address, kEightLines);
  }
  __device__ uint64_t Input(uint32_t slot, uint32_t tap) const {
    const uint32_t address = slot + BytesOf<S>(tiles, tap);
    if constexpr (S::kKind == HopperKind::kStem) {
      return wgmma::DescribePlainLines(address, kStemLine, kBoxColumns * kStemLine);  // the next pixel is deeper
    }
    constexpr uint32_t kEightPixels = (S::kKind == HopperKind::kBox ? kBoxColumns : 8) * S::kLine;
    return S::kLine == 128 ? wgmma::Describe(address, kEightPixels) : wgmma::DescribeShortLines(address, kEightPixels);
  }
  __device__ static void Issue(uint64_t weights, uint64_t input, int32_t (&acc)[S::kPixels / 2]) {
    wgmma::MultiplyInt8Async(weights, input, acc);
  }
};

}  // namespace hopper
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_HOPPER_MULTIPLY_CUH_
