// Tile: up to kMaxPixels output pixels, wherever they lie in the batch, times a block of outputs: `panels` vectors of
// TileKernels::lanes outputs.
//
// Between layers a value is kept as uint8, int8 value + 128, in one byte or in an int16. The pixels of a tile have the
// same real taps, so that padding is never multiplied. The contribution of the added 128 and of the zero point is part
// of the sums' start values. Consecutive blocks form a group, whose sums are scaled together.
#ifndef LOCKSTEP_LIB_INT8_CPU_TILE_H_
#define LOCKSTEP_LIB_INT8_CPU_TILE_H_

#include <cstddef>
#include <cstdint>

namespace lockstep {

inline constexpr uint32_t kMaxPixels = 32;
inline constexpr uint32_t kMaxWindow = 4;  // pixels of a max-pooling window; they share a tile
inline constexpr uint32_t kMaxPanels = 8;
inline constexpr uint32_t kMaxGroupOutputs = 128;

// Consecutive values of the input, in the same order as their packed weights: the taps of one row.
struct TapRun {
  uint32_t input;    // values from a pixel's first real tap to the run
  uint32_t weights;  // steps from the block's first weight to the run's
  uint32_t steps;    // steps of TileKernels::depth values each
};

// Real taps of a pixel: runs, and steps of each run; each range ends before its `last`.
struct RealSteps {
  uint32_t first_run, last_run;
  uint32_t first_step, last_step;
  uint32_t skipped;  // values from the first tap to the first real one
};

// Work that is independent of a tile, done in parts while the tile's multiplications are under way.
struct Meanwhile {
  void (*work)(const void* context, size_t part, size_t parts);  // null: no work
  const void* context;
};

struct Tile {
  const void* inputs[kMaxPixels];  // first real tap of each pixel
  const TapRun* runs;
  size_t run_count;
  const void* weights;   // weights of the block
  size_t weight_stride;  // weights of one output
  const int32_t* start;  // (panels * lanes)
  int32_t* sums;         // (pixels, stride), of which panels * lanes are written; must be aligned to whole vectors.
                         // Pixels up to whole rows (TileKernels::rows) are overwritten
  size_t stride;
  uint32_t panels;
  size_t pixels;
  Meanwhile meanwhile;
  const RealSteps* const* real;  // real steps of each pixel, whose other taps are `padding`; null: all taps of the runs
                                 // are real
  uint8_t padding;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_TILE_H_
