// AMX kernels: the sums of up to 32 pixels times 128 outputs, 64 values per step. A template on a class of tile
// registers: AmxTiles (amx_tiles.h), or an emulation in tests.
//
// A tile register needs rows at a constant distance, but pixels lie anywhere. So their values are copied first, up to
// kMaxSteps steps of them, into consecutive rows. The copy stays in the L1 cache while all outputs are multiplied by
// it. Of the eight registers, four hold sums, 2 x 16 pixels times 2 x 16 outputs, so that each loaded register is
// multiplied twice. With more steps, sums are kept in memory between the pieces.
#ifndef LOCKSTEP_LIB_INT8_CPU_AMX_KERNELS_H_
#define LOCKSTEP_LIB_INT8_CPU_AMX_KERNELS_H_

#include <immintrin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "lib/int8_cpu/tile_kernels.h"

namespace lockstep {
namespace amx {

inline constexpr uint32_t kRows = 16;   // rows of a register
inline constexpr uint32_t kLanes = 16;  // int32 sums in a row
inline constexpr uint32_t kDepth = 64;  // bytes of a row
inline constexpr uint32_t kQuad = 4;    // values of an output that are adjacent in a row of weights
inline constexpr size_t kPanelBytes = size_t{kLanes} * kDepth;

// Steps of a piece. A 3 x 3 kernel on 64 channels is one piece. The number is odd, so that the rows of a register lie
// in different sets of the cache. 32 pixels take 18 KiB of its 48.
inline constexpr size_t kMaxSteps = 9;
inline constexpr size_t kValueStride = kMaxSteps * kDepth;

// Steps of a tile, copied.
struct Piece {
  alignas(kDepth) uint8_t values[2 * kRows * kValueStride];  // (pixels, steps, kDepth)
  uint32_t weights[kMaxSteps];                               // steps from the block's first weight
  size_t steps = 0;
  bool is_first = true;
};

// Multiplies kHeight times 16 pixels by kWidth times 16 outputs.
template <typename Tiles, uint32_t kHeight, uint32_t kWidth>
void MultiplyBlock(const Piece& piece, size_t panel, const Tile& tile) {
  int32_t* const sums = tile.sums + panel * kLanes;
  int32_t* const lower = sums + kRows * tile.stride;
  const size_t stride = tile.stride * sizeof(int32_t);
  // With a stride of 0, all pixels have the same start values.
  const int32_t* const start = piece.is_first ? tile.start + panel * kLanes : sums;
  const int32_t* const lower_start = piece.is_first ? start : lower;
  const size_t start_stride = piece.is_first ? 0 : stride;
  Tiles::template Load<0>(start, start_stride);
  if constexpr (kWidth == 2) {
    Tiles::template Load<1>(start + kLanes, start_stride);
  }
  if constexpr (kHeight == 2) {
    Tiles::template Load<2>(lower_start, start_stride);
  }
  if constexpr (kHeight == 2 && kWidth == 2) {
    Tiles::template Load<3>(lower_start + kLanes, start_stride);
  }
  const uint8_t* values = piece.values;
  const int8_t* const block = static_cast<const int8_t*>(tile.weights) + panel * kLanes * tile.weight_stride;
  for (size_t s = 0; s < piece.steps; ++s, values += kDepth) {
    const int8_t* weights = block + piece.weights[s] * (kWidth * kPanelBytes);
    Tiles::template Load<6>(weights, kDepth);
    Tiles::template Load<4>(values, kValueStride);
    Tiles::template MultiplyAdd<0, 4, 6>();
    if constexpr (kWidth == 2) {
      Tiles::template Load<7>(weights + kPanelBytes, kDepth);
      Tiles::template MultiplyAdd<1, 4, 7>();
    }
    if constexpr (kHeight == 2) {
      Tiles::template Load<5>(values + kRows * kValueStride, kValueStride);
      Tiles::template MultiplyAdd<2, 5, 6>();
    }
    if constexpr (kHeight == 2 && kWidth == 2) {
      Tiles::template MultiplyAdd<3, 5, 7>();
    }
  }
  Tiles::template Store<0>(sums, stride);
  if constexpr (kWidth == 2) {
    Tiles::template Store<1>(sums + kLanes, stride);
  }
  if constexpr (kHeight == 2) {
    Tiles::template Store<2>(lower, stride);
  }
  if constexpr (kHeight == 2 && kWidth == 2) {
    Tiles::template Store<3>(lower + kLanes, stride);
  }
}

// Multiplies the blocks of a tile, and does a part of Tile::meanwhile after each block.
template <typename Tiles, uint32_t kHeight>
class Blocks {
 public:
  Blocks(const Tile& tile, size_t pieces) : tile_(tile), count_(pieces * ((tile.panels + 1) / 2)) {}

  void Multiply(const Piece& piece) {
    size_t panel = 0;
    for (; panel + 2 <= tile_.panels; panel += 2) {
      MultiplyBlock<Tiles, kHeight, 2>(piece, panel, tile_);
      DoPart();
    }
    if (panel < tile_.panels) {
      MultiplyBlock<Tiles, kHeight, 1>(piece, panel, tile_);
      DoPart();
    }
  }

 private:
  void DoPart() {
    if (tile_.meanwhile.work != nullptr) {
      tile_.meanwhile.work(tile_.meanwhile.context, done_++, count_);
    }
  }

  const Tile& tile_;
  const size_t count_;
  size_t done_ = 0;
};

// Copies step `step` of `run` for each pixel. Rows without a pixel are zeros.
[[gnu::target("avx512f,avx512bw")]] inline void CopyStep(const Tile& tile, uint32_t run, uint32_t step, Piece& piece) {
  const size_t offset = tile.runs[run].input + size_t{step} * kDepth;
  uint8_t* values = piece.values + piece.steps * kDepth;
  size_t p = 0;
  for (; p < tile.pixels && tile.real == nullptr; ++p, values += kValueStride) {
    _mm512_store_si512(values, _mm512_loadu_si512(static_cast<const uint8_t*>(tile.inputs[p]) + offset));
  }
  for (; p < tile.pixels; ++p, values += kValueStride) {
    const RealSteps& real = *tile.real[p];
    const bool is_real =
        run >= real.first_run && run < real.last_run && step >= real.first_step && step < real.last_step;
    const auto* input = static_cast<const uint8_t*>(tile.inputs[p]);
    _mm512_store_si512(values, is_real ? _mm512_loadu_si512(input + (offset - real.skipped))
                                       : _mm512_set1_epi8(static_cast<char>(tile.padding)));
  }
  for (; p % kRows != 0; ++p, values += kValueStride) {
    _mm512_store_si512(values, _mm512_setzero_si512());
  }
}

inline size_t DividedUp(size_t value, size_t by) { return (value + by - 1) / by; }

template <typename Tiles, uint32_t kHeight>
void Multiply(const Tile& tile) {
  size_t left = 0;
  for (size_t r = 0; r < tile.run_count; ++r) {
    left += tile.runs[r].steps;
  }
  // Pieces have the same length, except for some steps. There is one piece even if no tap is real.
  const size_t max_steps = std::max<size_t>(1, DividedUp(left, std::max<size_t>(1, DividedUp(left, kMaxSteps))));
  Blocks<Tiles, kHeight> blocks(tile, std::max<size_t>(1, DividedUp(left, max_steps)));
  Piece piece;
  for (uint32_t r = 0; r < tile.run_count; ++r) {
    const TapRun& run = tile.runs[r];
    for (uint32_t s = 0; s < run.steps; ++s) {
      CopyStep(tile, r, s, piece);
      piece.weights[piece.steps] = run.weights + s;
      --left;
      if (++piece.steps == max_steps || left == 0) {
        blocks.Multiply(piece);
        piece.steps = 0;
        piece.is_first = false;
      }
    }
  }
  if (piece.is_first) {
    blocks.Multiply(piece);
  }
}

// Everything except the multiplication is done by AVX-512.
template <typename Tiles>
TileKernels Kernels() {
  TileKernels kernels = Avx512VnniTileKernels();
  kernels.lanes = kLanes;
  kernels.depth = kDepth;
  kernels.quad = kQuad;
  kernels.rows = kRows;
  kernels.width = 2;
  kernels.max_panels = kMaxPanels;
  std::fill_n(kernels.max_pixels, kMaxPanels + 1, 2 * kRows);
  kernels.pads = true;
  kernels.begin = Tiles::Configure;
  for (auto& by_pixels : kernels.multiply) {
    std::fill_n(by_pixels, kRows + 1, Multiply<Tiles, 1>);
    std::fill_n(by_pixels + kRows + 1, kRows, Multiply<Tiles, 2>);
  }
  kernels.end = Tiles::Release;
  kernels.does_meanwhile = true;
  return kernels;
}

}  // namespace amx
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_AMX_KERNELS_H_
