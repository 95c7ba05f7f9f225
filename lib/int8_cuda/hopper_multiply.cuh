// Matrix product: one thread copies boxes of input and weights, groups of four warps multiply them into registers.
#ifndef LOCKSTEP_LIB_INT8_CUDA_HOPPER_MULTIPLY_CUH_
#define LOCKSTEP_LIB_INT8_CUDA_HOPPER_MULTIPLY_CUH_

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

template <typename S>
__device__ void CopyWeights(const Work& work, uint32_t stage, uint32_t of_stage, const CUtensorMap& weights,
                            SlotRing& ring) {
  ring.Claim();
  CopyBox(weights, ring.Data(), ring.Full(), static_cast<int32_t>(stage / S::kStages * S::kLine),
          static_cast<int32_t>(of_stage * S::kStages + stage % S::kStages), static_cast<int32_t>(work.channel));
  ring.Next();
}

template <typename S>
__device__ void CopyInput(const HopperTiles& tiles, const Tile& tile, uint32_t stage, const CUtensorMap (&input)[4],
                          SlotRing& ring) {
  const int32_t depth = static_cast<int32_t>(stage / S::kStages * S::kLine);
  const int32_t column = static_cast<int32_t>(stage % S::kStages);
  const int32_t image = static_cast<int32_t>(tile.image), row = static_cast<int32_t>(tile.row);
  ring.Claim();
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
  ring.Next();
}

// Copies as many of a tile's lines of weights as there are slots. Returns their number. No launch writes weights, so
// the copies need not wait.
template <typename S>
__device__ uint32_t CopyFirstWeights(const Work& work, const CUtensorMap& weights, SlotRing& ring) {
  const uint32_t count = min(ring.slots, (work.end - work.begin) * S::kTaps);
  for (uint32_t i = 0; i < count; ++i) {
    CopyWeights<S>(work, work.begin + i / S::kTaps, i % S::kTaps, weights, ring);
  }
  return count;
}

// `begun`: number of the tile's lines of weights whose copies have begun.
template <typename S>
__device__ void CopyTile(const HopperTiles& tiles, const Work& work, uint32_t index, uint32_t begun,
                         const HopperMaps& maps, SlotRing& input_ring, SlotRing& weight_ring) {
  const Tile tile(tiles, index);
  uint32_t line = 0;
  for (uint32_t stage = work.begin; stage < work.end; ++stage) {
    CopyInput<S>(tiles, tile, stage, maps.input, input_ring);
    for (uint32_t tap = 0; tap < S::kTaps; ++tap, ++line) {
      if (line >= begun) {
        CopyWeights<S>(work, stage, tap, maps.weights, weight_ring);
      }
    }
  }
}

// Makes all copies of a block. The first ones do not wait for the previous launch.
template <typename S>
__device__ void CopyTiles(const HopperTiles& tiles, const Work& work, const HopperMaps& maps, SlotRing& input_ring,
                          SlotRing& weight_ring) {
  uint32_t begun = CopyFirstWeights<S>(work, maps.weights, weight_ring);
  WaitForLaunchBefore();
  for (uint32_t index = work.first; index < tiles.pixel_tiles; index += work.stride) {
    CopyTile<S>(tiles, work, index, begun, maps, input_ring, weight_ring);
    begun = weight_ring.stays ? begun : 0;
  }
}

template <typename S>
__device__ uint64_t DescribeWeights(uint32_t address) {
  constexpr uint32_t kEightLines = 8 * S::kLine;
  return S::kLine == 128 ? wgmma::Describe(address, kEightLines) : wgmma::DescribeShortLines(address, kEightLines);
}

template <typename S>
__device__ uint64_t DescribeInput(uint32_t address) {
  if constexpr (S::kKind == HopperKind::kStem) {
    return wgmma::DescribePlainLines(address, kStemLine, kBoxColumns * kStemLine);  // the next pixel is deeper
  }
  constexpr uint32_t kEightPixels = (S::kKind == HopperKind::kBox ? kBoxColumns : 8) * S::kLine;
  return S::kLine == 128 ? wgmma::Describe(address, kEightPixels) : wgmma::DescribeShortLines(address, kEightPixels);
}

// `part`: index of the 64 channels in the tile. Arrives at `issued` after the last instruction is issued.
template <typename S>
__device__ void Multiply(const HopperTiles& tiles, const Work& work, uint32_t part, SlotRing& input_ring,
                         SlotRing& weight_ring, uint32_t issued, int32_t (&acc)[S::kPixels / 2]) {
  constexpr uint32_t kStepBytes = 32;  // bytes of the depth per instruction
  const bool first_lane = threadIdx.x % kWarp == 0;
  uint32_t done_weight = 0, done_input = 0;  // slots to release when the instructions that read them are complete
  for (uint32_t stage = work.begin; stage < work.end; ++stage) {
    input_ring.WaitUntilFull();
#pragma unroll
    for (uint32_t tap = 0; tap < S::kTaps; ++tap) {
      weight_ring.WaitUntilFull();
      const uint64_t a = DescribeWeights<S>(weight_ring.Data() + part * kChannels * S::kLine);
      const uint64_t b = DescribeInput<S>(input_ring.Data() + BytesOf<S>(tiles, tap));
      wgmma::Fence();
#pragma unroll
      for (uint32_t k = 0; k < S::kLine / kStepBytes; ++k) {
        wgmma::MultiplyInt8Async(wgmma::Deeper(a, k * (kStepBytes / 16)), wgmma::Deeper(b, k * (kStepBytes / 16)), acc);
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
  if (!S::kTogether && first_lane) {
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

}  // namespace hopper
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_HOPPER_MULTIPLY_CUH_
