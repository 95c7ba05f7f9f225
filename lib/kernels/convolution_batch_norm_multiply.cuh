// The matrix product: how the main loop copies boxes of input and weights, and how its instructions read them.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_MULTIPLY_CUH_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_MULTIPLY_CUH_

#include "lib/cuda/cache_policy.cuh"
#include "lib/cuda/overlapped_launch.cuh"
#include "lib/kernels/convolution_batch_norm_block.cuh"

namespace lockstep {
namespace convolution_batch_norm {

// Returns the first row, within a slot of the input, that `filter_row` (of `rows` filter rows) reads.
template <Kind kKind>
__device__ uint32_t RowsOf(const ConvolutionTiles& tiles, uint32_t filter_row, uint32_t rows) {
  if (kKind == Kind::kHalved) {
    return filter_row == 1 ? tiles.tile_rows + 1 : filter_row / 2;
  }
  return kKind == Kind::kSpread ? rows - 1 - filter_row : filter_row;
}

__device__ inline uint32_t RowBytes(const ConvolutionTiles& tiles) {
  return wgmma::kLineBytes * tiles.box_columns << tiles.tile_images_log2;
}

// Returns the first byte of an input slot that tap `tap` (of `taps` in a stage) reads.
template <Kind kKind>
__device__ uint32_t BytesOf(const ConvolutionTiles& tiles, uint32_t tap, uint32_t taps) {
  if (kKind == Kind::kBox) {
    return tap / kFilterOf<kKind> * RowBytes(tiles) + tap % kFilterOf<kKind> * wgmma::kLineBytes;
  }
  return RowsOf<kKind>(tiles, tap, taps) * RowBytes(tiles);
}

// Stage of the gradient of kHalved. An even column or row is reached only by the filter's middle. An odd one is reached
// by the filter's first from the next output and by its last from its own output.
struct SpreadStage {
  bool shortcut;           // the stage is of the shortcut's 1x1 convolution
  uint32_t filter_column;  // column of the filter
  int32_t depth;           // first channel

  __device__ SpreadStage(const ConvolutionTiles& tiles, const Tile& tile, uint32_t stage) {
    const uint32_t stages = tiles.depth_blocks << tile.odd_column;  // one per column of the filter that is used
    shortcut = stage >= stages;
    const uint32_t block = shortcut ? stage - stages : stage >> tile.odd_column;
    filter_column = tile.odd_column == 0 ? 1 : stage % 2 * 2;
    depth = static_cast<int32_t>(block * wgmma::kLine);
  }
};

// Copies of a block. kWeightBlocks: with kPairBlocks, a block copies half of each slot of weights, to both blocks.
template <bool kBackward, Kind kKind, uint32_t kWeightBlocks>
struct TileCopies {
  const ConvolutionBatchNormArguments& arguments;
  const CUtensorMap& weights;
  const ConvolutionInputMaps& inputs;
  uint32_t channel;  // first channel of the tiles
  uint32_t rank;     // rank in the cluster

  __device__ void Input(const Tile& tile, uint32_t stage, const Ring& ring) const {
    constexpr uint32_t kFilter = kFilterOf<kKind>;
    const ConvolutionTiles& tiles = arguments.tiles;
    const int32_t depth = static_cast<int32_t>(stage / kStagesOf<kKind> * wgmma::kLine);
    const int32_t column = static_cast<int32_t>(stage % kStagesOf<kKind>);
    const int32_t image = static_cast<int32_t>(tile.image), row = static_cast<int32_t>(tile.row);
    if constexpr (kKind == Kind::kSpread) {
      const SpreadStage spread(tiles, tile, stage);
      CopyBox(inputs.map[spread.shortcut ? 1 : 0], ring.Data(), ring.Full(), spread.depth,
              spread.filter_column == 0 ? 1 : 0, image, row);
    } else if constexpr (kKind == Kind::kBox) {
      // With one block of channels this launch reads the input once, and the L2 cache should keep the output instead.
      CopyBox(inputs.map[0], ring.Data(), ring.Full(), depth, static_cast<int32_t>(tile.column) - 1, image, row - 1,
              tiles.channel_blocks == 1 ? EvictFirst() : EvictNormal());
    } else if constexpr (kKind == Kind::kSame) {
      CopyBox(inputs.map[0], ring.Data(), ring.Full(), depth, column - 1, image, row - 1);
    } else if constexpr (kKind == Kind::kHalved) {
      // Column 2x - 1 is the odd one of pair x - 1, column 2x + 1 that of pair x; the same holds for rows.
      const uint32_t odd = column != 1;
      const int32_t pair = column == 0 ? -1 : 0;
      CopyBox(inputs.map[2 + odd], ring.Data(), ring.Full(), depth, pair, image, row - 1);
      CopyBox(inputs.map[odd], ring.Data() + RowsOf<kKind>(tiles, 1, kFilter) * RowBytes(tiles), ring.Full(), depth,
              pair, image, row);
    } else {
      CopyBox(inputs.map[0], ring.Data(), ring.Full(), depth, 0, image, row);
    }
  }

  // Backward, the filter is rotated and its two channel dimensions are exchanged.
  __device__ void Weights(const Tile& tile, uint32_t stage, uint32_t tap, const Ring& ring) const {
    constexpr uint32_t kFilter = kFilterOf<kKind>;
    const int32_t first_channel = static_cast<int32_t>(channel);
    if constexpr (kKind == Kind::kSpread) {
      const SpreadStage spread(arguments.tiles, tile, stage);
      const uint32_t filter_row = tile.odd_row == 0 ? 1 : tap * 2;
      WeightBox(spread.shortcut ? inputs.map[2] : weights, ring, first_channel,
                spread.shortcut ? 0 : static_cast<int32_t>(filter_row * 3 + spread.filter_column), spread.depth);
      return;
    }
    const int32_t depth = static_cast<int32_t>(stage / kStagesOf<kKind> * wgmma::kLine);
    const int32_t of_filter = static_cast<int32_t>(tap * kStagesOf<kKind> + stage % kStagesOf<kKind>);
    if (kBackward) {
      WeightBox(weights, ring, first_channel, static_cast<int32_t>(kFilter * kFilter) - 1 - of_filter, depth);
    } else {
      WeightBox(weights, ring, depth, of_filter, first_channel);
    }
  }

 private:
  // Copies the box that fills a slot, or this block's part of its lines.
  __device__ void WeightBox(const CUtensorMap& map, const Ring& ring, int32_t x0, int32_t x1, int32_t x2) const {
    if constexpr (kWeightBlocks == 1) {
      CopyBox(map, ring.Data(), ring.Full(), x0, x1, x2);
    } else {
      constexpr uint32_t kLines = wgmma::kLine / kWeightBlocks;
      constexpr uint16_t kAll = (1u << kWeightBlocks) - 1;
      CopyBoxToBlocks(map, ring.Data() + rank * kLines * wgmma::kLineBytes, ring.Full(), kAll, x0, x1,
                      x2 + static_cast<int32_t>(rank * kLines));
    }
  }
};

// Weights of consecutive tiles of one parity, with a stride of 2, which are the same. If the number of a tile's weights
// divides the number of slots, a weight is always copied to the same slots. They have all been copied after as many
// tiles as the slots have weights for.
class RepeatedWeights {
 public:
  // Returns whether the slots have the weights of the block's next tile.
  __device__ bool AreThere(const Tile& tile, const main_loop::Stages& stages, uint32_t slots) {
    const uint32_t parity = tile.odd_row * 2 + tile.odd_column, weights = (stages.end - stages.begin) * stages.taps;
    begun_ = parity == parity_ ? begun_ + weights : 0;
    parity_ = parity;
    return begun_ >= slots && slots % weights == 0;
  }

 private:
  uint32_t parity_ = UINT32_MAX;
  uint32_t begun_ = 0;  // number of weights of the previous tiles of this parity
};

// Threads that copy. Up to 128 pixels: one the input, the other the weights, because the copy of a slot takes 20 to 40
// instructions, one after another, while a product of 64 channels with 64 pixels takes 128 cycles. With a thread of
// their own, the weights also need not wait for the previous launch. Tiles of 256 pixels give one thread enough time,
// unless it would also wait for the other block of a pair.
template <uint32_t kPixels, uint32_t kWeightBlocks>
constexpr uint32_t kCopiers = kPixels <= 128 || kWeightBlocks != 1 ? 2 : 1;

// Copies both operands of a block's tiles, in one thread.
template <bool kBackward, Kind kKind>
__device__ void CopyBlock(const TileCopies<kBackward, kKind, 1>& copies, const Work& work, main_loop::Rings& rings) {
  const ConvolutionTiles& tiles = copies.arguments.tiles;
  WaitForLaunchBefore();
  for (uint32_t index = work.first; index < tiles.pixel_tiles; index += work.stride) {
    const Tile tile(tiles, index);
    main_loop::CopyTile(copies, tile, StagesOf<kKind>(copies.arguments, work, tile),
                        {.slots = 0, .all = rings.weights.stays && index != work.first}, rings);
  }
}

// Copies the input of a block's tiles. The block must have a tile. All that does not need the previous launch comes
// before the wait for it, so that the first copy begins a few instructions after the wait.
template <bool kBackward, Kind kKind, uint32_t kWeightBlocks>
__device__ void CopyBlockInput(const TileCopies<kBackward, kKind, kWeightBlocks>& copies, const Work& work,
                               Ring& ring) {
  const ConvolutionTiles& tiles = copies.arguments.tiles;
  Tile tile(tiles, work.first);
  main_loop::Stages stages = StagesOf<kKind>(copies.arguments, work, tile);
  ring.Claim();
  WaitForLaunchBefore();
  copies.Input(tile, stages.begin, ring);
  ring.Next();
  ++stages.begin;
  for (uint32_t index = work.first;;) {
    main_loop::CopyTileInput(copies, tile, stages, ring);
    index += work.stride;
    if (index >= tiles.pixel_tiles) {
      return;
    }
    tile = Tile(tiles, index);
    stages = StagesOf<kKind>(copies.arguments, work, tile);
  }
}

// Copies the weights of a block's tiles. kShort: the depth of a tile is short, so that weights may repeat.
template <bool kShort, bool kBackward, Kind kKind, uint32_t kWeightBlocks>
__device__ void CopyBlockWeights(const TileCopies<kBackward, kKind, kWeightBlocks>& copies, const Work& work,
                                 Ring& ring) {
  const ConvolutionTiles& tiles = copies.arguments.tiles;
  if (!copies.arguments.weights_ahead) {
    WaitForLaunchBefore();
  }
  RepeatedWeights repeated;
  for (uint32_t index = work.first; index < tiles.pixel_tiles; index += work.stride) {
    const Tile tile(tiles, index);
    const main_loop::Stages stages = StagesOf<kKind>(copies.arguments, work, tile);
    if (kShort && kKind == Kind::kSpread && repeated.AreThere(tile, stages, ring.slots)) {
      main_loop::RenewTileWeights(stages, ring);
      continue;
    }
    main_loop::CopyTileWeights(copies, tile, stages, ring);
    if (ring.stays) {
      return;
    }
  }
  if constexpr (kWeightBlocks != 1) {
    ring.WaitUntilEmpty();
  }
}

// Product of a group's tile of 64 channels by kPixels pixels.
template <bool kBackward, uint32_t kPixels, Kind kKind, uint32_t kBlocks>
struct TileProduct {
  static constexpr uint32_t kTaps = kKind == Kind::kSpread ? 0 : kTapsOf<kKind>;
  static constexpr uint32_t kSteps = wgmma::kLine / wgmma::kDepth;
  static constexpr uint32_t kDeeperWeights = kBackward ? wgmma::kDeeperAcrossLines : wgmma::kDeeperAlongLines;
  static constexpr uint32_t kDeeperInput = wgmma::kDeeperAlongLines;
  static constexpr bool kInTurn = true;
  static constexpr uint32_t kWeightBlocks = kBlocks;

  const ConvolutionTiles& tiles;
  uint32_t taps;

  __device__ uint64_t Weights(uint32_t slot) const { return wgmma::Describe(slot); }
  __device__ uint64_t Input(uint32_t slot, uint32_t tap) const {
    constexpr uint32_t kEightPixels = kKind == Kind::kBox ? kBoxColumns * wgmma::kLineBytes : wgmma::kPatternBytes;
    return wgmma::Describe(slot + BytesOf<kKind>(tiles, tap, taps), kEightPixels);
  }
  __device__ static void Issue(uint64_t weights, uint64_t input, float (&acc)[kPixels / 2]) {
    wgmma::MultiplyAsync<kBackward>(weights, input, acc);
  }
};

}  // namespace convolution_batch_norm
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_MULTIPLY_CUH_
