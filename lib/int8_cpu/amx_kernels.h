// AMX: the sums of up to 32 pixels times 128 outputs, 64 values a step, by a class of tile registers: AmxTiles
// (amx_tiles.h), or an emulation in tests.
//
// A tile register wants rows at one distance. Pixels lie anywhere, so that their values are copied first, up to kMaxSteps
// of them, into rows that follow one another: they stay in the first level of the cache while all outputs are multiplied
// by them. Of the eight registers four hold sums, 2 x 16 pixels times 2 x 16 outputs, so that each one that is loaded is
// multiplied twice. Sums of longer runs of steps are kept in memory meanwhile.
#ifndef LOCKSTEP_LIB_INT8_CPU_AMX_KERNELS_H_
#define LOCKSTEP_LIB_INT8_CPU_AMX_KERNELS_H_

#include <immintrin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "lib/int8_cpu/tile_kernels.h"

namespace lockstep {
namespace amx {

inline constexpr uint32_t kRows = 16;   // of a register
inline constexpr uint32_t kLanes = 16;  // int32 sums of a row
inline constexpr uint32_t kDepth = 64;  // bytes of a row
inline constexpr uint32_t kQuad = 4;    // values of an output that lie together in a row of weights
inline constexpr size_t kPanelBytes = size_t{kLanes} * kDepth;

// A 3 x 3 kernel on 64 channels is done in one piece. Odd, so that the rows of a register lie in different sets of the
// cache; and 32 pixels are 18 KiB of its 48.
inline constexpr size_t kMaxSteps = 9;
inline constexpr size_t kValueStride = kMaxSteps * kDepth;

// Some steps of a tile, copied.
struct Piece {
  alignas(kDepth) uint8_t values[2 * kRows * kValueStride];  // (pixels, steps, kDepth)
  const int8_t* weights[kMaxSteps];
  size_t steps = 0;
  bool is_first = true;
};

// kHeight times 16 pixels, kWidth times 16 outputs.
template <typename Tiles, uint32_t kHeight, uint32_t kWidth>
void MultiplyBlock(const Piece& piece, size_t panel, const Tile& tile) {
  int32_t* const sums = tile.sums + panel * kLanes;
  const size_t stride = tile.stride * sizeof(int32_t);
  int32_t* const lower = sums + kRows * tile.stride;
  const int32_t* const start = tile.start + panel * kLanes;
  // At a stride of 0 all pixels start alike.
  Tiles::template Load<0>(piece.is_first ? start : sums, piece.is_first ? 0 : stride);
  if constexpr (kWidth == 2) {
    Tiles::template Load<1>((piece.is_first ? start : sums) + kLanes, piece.is_first ? 0 : stride);
  }
  if constexpr (kHeight == 2) {
    Tiles::template Load<2>(piece.is_first ? start : lower, piece.is_first ? 0 : stride);
  }
  if constexpr (kHeight == 2 && kWidth == 2) {
    Tiles::template Load<3>((piece.is_first ? start : lower) + kLanes, piece.is_first ? 0 : stride);
  }
  const uint8_t* values = piece.values;
  for (size_t s = 0; s < piece.steps; ++s, values += kDepth) {
    const int8_t* weights = piece.weights[s] + panel * kPanelBytes;
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

template <typename Tiles, uint32_t kHeight>
void MultiplyPiece(const Piece& piece, size_t panels, const Tile& tile) {
  size_t panel = 0;
  for (; panel + 2 <= panels; panel += 2) {
    MultiplyBlock<Tiles, kHeight, 2>(piece, panel, tile);
  }
  if (panel < panels) {
    MultiplyBlock<Tiles, kHeight, 1>(piece, panel, tile);
  }
}

// One more step of each pixel, its values `offset` from the pixel's first. Rows without a pixel are zeros.
[[gnu::target("avx512f")]] inline void CopyStep(const Tile& tile, size_t offset, size_t pixels, Piece& piece) {
  uint8_t* values = piece.values + piece.steps * kDepth;
  size_t p = 0;
  for (; p < pixels; ++p, values += kValueStride) {
    _mm512_store_si512(values, _mm512_loadu_si512(static_cast<const uint8_t*>(tile.inputs[p]) + offset));
  }
  for (; p % kRows != 0; ++p, values += kValueStride) {
    _mm512_store_si512(values, _mm512_setzero_si512());
  }
}

template <typename Tiles>
void Multiply(const Tile& tile, uint32_t panels, size_t pixels) {
  size_t left = 0;
  for (size_t r = 0; r < tile.run_count; ++r) {
    left += tile.runs[r].steps;
  }
  // Pieces of the same length, but for one step.
  const size_t pieces = std::max<size_t>(1, (left + kMaxSteps - 1) / kMaxSteps);
  const size_t most = (left + pieces - 1) / pieces;
  const auto multiply = pixels > kRows ? MultiplyPiece<Tiles, 2> : MultiplyPiece<Tiles, 1>;
  Piece piece;
  for (size_t r = 0; r < tile.run_count; ++r) {
    const TapRun& run = tile.runs[r];
    for (size_t s = 0; s < run.steps; ++s) {
      CopyStep(tile, run.input + s * kDepth, pixels, piece);
      piece.weights[piece.steps] = static_cast<const int8_t*>(tile.weights) + (run.weights + s) * panels * kPanelBytes;
      --left;
      if (++piece.steps == most || left == 0) {
        multiply(piece, panels, tile);
        piece.steps = 0;
        piece.is_first = false;
      }
    }
  }
  if (piece.is_first) {  // no real taps
    multiply(piece, panels, tile);
  }
}

// AVX-512 does all that is no multiplication.
template <typename Tiles>
TileKernels Kernels() {
  TileKernels kernels = Avx512VnniTileKernels();
  kernels.lanes = kLanes;
  kernels.depth = kDepth;
  kernels.quad = kQuad;
  kernels.most_panels = kMaxPanels;
  kernels.rows = kRows;
  std::fill_n(kernels.most_pixels, kMaxPanels + 1, 2 * kRows);
  kernels.begin = Tiles::Configure;
  kernels.multiply = Multiply<Tiles>;
  kernels.end = Tiles::Release;
  return kernels;
}

}  // namespace amx
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_AMX_KERNELS_H_
