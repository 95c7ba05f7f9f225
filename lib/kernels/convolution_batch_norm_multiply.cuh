// The matrix product: one thread copies boxes of input and weights, and each group of four warps multiplies them into
// registers.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_MULTIPLY_CUH_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_MULTIPLY_CUH_

#include "lib/kernels/convolution_batch_norm_block.cuh"

namespace lockstep {
namespace convolution_batch_norm {

// Copies the weights of one tap of a stage. Backward, the filter is rotated and its two channel dimensions are
// exchanged.
template <bool kBackward, Kind kKind>
__device__ void CopyWeights(const Work& work, uint32_t stage, uint32_t of_stage, const CUtensorMap& weights,
                            Ring& ring) {
  constexpr uint32_t kFilter = kFilterOf<kKind>;
  const int32_t depth = static_cast<int32_t>(stage / kStagesOf<kKind> * wgmma::kLine);
  const int32_t channel = static_cast<int32_t>(work.channel);
  const int32_t tap = static_cast<int32_t>(of_stage * kStagesOf<kKind> + stage % kStagesOf<kKind>);
  ring.Claim();
  if (kBackward) {
    CopyBox(weights, ring.Data(), ring.Full(), channel, static_cast<int32_t>(kFilter * kFilter) - 1 - tap, depth);
  } else {
    CopyBox(weights, ring.Data(), ring.Full(), depth, tap, channel);
  }
  ring.Next();
}

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

template <Kind kKind>
__device__ void CopyInput(const ConvolutionTiles& tiles, const Tile& tile, uint32_t stage,
                          const ConvolutionInputMaps& inputs, Ring& ring) {
  constexpr uint32_t kFilter = kFilterOf<kKind>;
  const int32_t depth = static_cast<int32_t>(stage / kStagesOf<kKind> * wgmma::kLine);
  const int32_t column = static_cast<int32_t>(stage % kStagesOf<kKind>);
  const int32_t image = static_cast<int32_t>(tile.image), row = static_cast<int32_t>(tile.row);
  ring.Claim();
  if constexpr (kKind == Kind::kBox) {
    CopyBox(inputs.map[0], ring.Data(), ring.Full(), depth, static_cast<int32_t>(tile.column) - 1, image, row - 1);
  } else if constexpr (kKind == Kind::kSame) {
    CopyBox(inputs.map[0], ring.Data(), ring.Full(), depth, column - 1, image, row - 1);
  } else if constexpr (kKind == Kind::kHalved) {
    // Column 2x - 1 is the odd one of pair x - 1, column 2x + 1 that of pair x; the same holds for rows.
    const uint32_t odd = column != 1;
    const int32_t pair = column == 0 ? -1 : 0;
    CopyBox(inputs.map[2 + odd], ring.Data(), ring.Full(), depth, pair, image, row - 1);
    CopyBox(inputs.map[odd], ring.Data() + RowsOf<kKind>(tiles, 1, kFilter) * RowBytes(tiles), ring.Full(), depth, pair,
            image, row);
  } else {
    CopyBox(inputs.map[0], ring.Data(), ring.Full(), depth, 0, image, row);
  }
  ring.Next();
}

// Copies a stage of the gradient of kHalved. An even column or row is reached only by the filter's middle. An odd one
// is reached by the filter's first from the next output and by its last from its own output.
__device__ inline void CopySpread(const ConvolutionBatchNormArguments& arguments, const Work& work, const Tile& tile,
                                  uint32_t stage, const CUtensorMap& weights, const ConvolutionInputMaps& inputs,
                                  Ring& input_ring, Ring& weight_ring) {
  const ConvolutionTiles& tiles = arguments.tiles;
  const uint32_t columns = 1 + tile.odd_column;
  const bool shortcut = stage >= tiles.depth_blocks * columns;
  const uint32_t block = shortcut ? stage - tiles.depth_blocks * columns : stage / columns;
  const uint32_t filter_column = tile.odd_column == 0 ? 1 : stage % 2 * 2;
  const auto depth = static_cast<int32_t>(block * wgmma::kLine), channel = static_cast<int32_t>(work.channel);
  input_ring.Claim();
  CopyBox(inputs.map[shortcut ? 1 : 0], input_ring.Data(), input_ring.Full(), depth, filter_column == 0 ? 1 : 0,
          static_cast<int32_t>(tile.image), static_cast<int32_t>(tile.row));
  input_ring.Next();
  for (uint32_t row = 0; row < 1 + tile.odd_row; ++row) {
    const uint32_t filter_row = tile.odd_row == 0 ? 1 : row * 2;
    weight_ring.Claim();
    CopyBox(shortcut ? inputs.map[2] : weights, weight_ring.Data(), weight_ring.Full(), channel,
            shortcut ? 0 : static_cast<int32_t>(filter_row * 3 + filter_column), depth);
    weight_ring.Next();
  }
}

template <bool kBackward, Kind kKind>
__device__ void CopyTile(const ConvolutionBatchNormArguments& arguments, const Work& work, uint32_t index,
                         const CUtensorMap& weights, const ConvolutionInputMaps& inputs, Ring& input_ring,
                         Ring& weight_ring) {
  const Tile tile(arguments.tiles, index);
  const Depth<kKind> range(arguments, work, tile);
  for (uint32_t stage = range.begin; stage < range.end; ++stage) {
    if constexpr (kKind == Kind::kSpread) {
      CopySpread(arguments, work, tile, stage, weights, inputs, input_ring, weight_ring);
    } else {
      CopyInput<kKind>(arguments.tiles, tile, stage, inputs, input_ring);
      for (uint32_t tap = 0; tap < range.taps && !(weight_ring.stays && index != work.first); ++tap) {
        CopyWeights<kBackward, kKind>(work, stage, tap, weights, weight_ring);
      }
    }
  }
}

// Multiplies a tile. Arrives at `issued` when the last instruction has been issued.
template <bool kBackward, uint32_t kPixels, Kind kKind>
__device__ void Multiply(const ConvolutionTiles& tiles, const Depth<kKind>& range, Ring& input_ring, Ring& weight_ring,
                         uint32_t issued, float (&acc)[kPixels / 2]) {
  constexpr uint32_t kEightPixels = kKind == Kind::kBox ? kBoxColumns * wgmma::kLineBytes : wgmma::kPatternBytes;
  const bool first_lane = threadIdx.x % kWarp == 0;
  uint32_t done_weight = 0, done_input = 0;  // slots to release once the instructions that read them have finished
  for (uint32_t stage = range.begin; stage < range.end; ++stage) {
    input_ring.WaitUntilFull();
#pragma unroll
    for (uint32_t tap = 0; tap < (kKind == Kind::kSpread ? range.taps : kTapsOf<kKind>); ++tap) {
      weight_ring.WaitUntilFull();
      const uint64_t a = wgmma::Describe(weight_ring.Data());
      const uint64_t b = wgmma::Describe(input_ring.Data() + BytesOf<kKind>(tiles, tap, range.taps), kEightPixels);
      wgmma::Fence();
#pragma unroll
      for (uint32_t k = 0; k < wgmma::kLine / wgmma::kDepth; ++k) {
        constexpr uint32_t kDeeper = kBackward ? wgmma::kDeeperAcrossLines : wgmma::kDeeperAlongLines;
        wgmma::MultiplyAsync<kBackward>(wgmma::Deeper(a, k * kDeeper), wgmma::Deeper(b, k * wgmma::kDeeperAlongLines),
                                        acc);
      }
      wgmma::Commit();
      wgmma::Wait<1>();
      if (first_lane && done_weight != 0 && !weight_ring.stays) {
        Arrive(done_weight);
      }
      if (tap == 0 && first_lane && done_input != 0) {
        Arrive(done_input);
      }
      done_weight = weight_ring.Empty();
      weight_ring.Next();
    }
    done_input = input_ring.Empty();
    input_ring.Next();
  }
  if (first_lane) {
    Arrive(issued);
  }
  wgmma::Wait<0>();
  if (first_lane) {
    if (!weight_ring.stays) {
      Arrive(done_weight);
    }
    Arrive(done_input);
  }
}

}  // namespace convolution_batch_norm
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_MULTIPLY_CUH_
