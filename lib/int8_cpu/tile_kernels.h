// TileKernels: the code that differs between the instruction sets: the sums of a tile, and their scaling to values.
//
// Between layers a value is kept as uint8, int8 value + 128, in one byte or in an int16. A tile is up to kMaxPixels
// output pixels, wherever they lie in the batch, times a block of outputs: `panels` vectors of `lanes` outputs. Its
// pixels have the same real taps, so that padding is never multiplied. The contribution of the added 128 and of the
// zero point is part of the sums' start values. Consecutive blocks form a group, whose sums are scaled together.
#ifndef LOCKSTEP_LIB_INT8_CPU_TILE_KERNELS_H_
#define LOCKSTEP_LIB_INT8_CPU_TILE_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "lib/int8/requantize.h"
#include "lib/int8_cpu/isa.h"

namespace lockstep {

inline constexpr uint32_t kMaxPixels = 32;
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

// Scaling of sums to values:
//     max(lowest, min(round_half_even((float32(sum) + bias) * multiplier), high) + zero)
struct Scaling {
  const float* multiplier;  // one per output
  const float* bias;        // one per output; null: none
  float high;               // 255 - zero
  int32_t zero;             // zero point of the output as a value: in [0, 255]
  int32_t lowest;           // same as `zero` with ReLU, else 0
};

struct ScaleTask {
  Scaling scaling;  // factors from the group's first output on
  const int32_t* sums;
  size_t stride;         // sums from one pixel to the next
  size_t window;         // pixels whose largest sum is taken, for max-pooling; else 1
  size_t pair;           // outputs from a sum to the other sum of its pixel that is pooled with it; 0: no other
  size_t pixels;         // pixels that are written; `window` times as many have sums
  size_t outputs;        // outputs of the group, without padding
  void* const* targets;  // first value of the group in each pixel
};

// Addition of values: clamp(round_half_even(fma(a, factors.a, fma(b, factors.b, factors.offset))), lowest, 255), as in
// requantize.h.
struct AddTask {
  AddFactors factors;
  int32_t lowest;        // lower bound, as in Scaling
  const uint8_t* table;  // result of (a, b) at [256 * a + b], if the kernels want it
};

struct TileKernels {
  uint32_t value_bytes;  // 1: uint8, 2: int16
  uint32_t lanes;
  uint32_t depth;  // consecutive values of each pixel per step
  uint32_t quad;   // values of a step whose weights are adjacent
  uint32_t rows;   // pixels that take no longer than one pixel
  uint32_t width;  // panels whose weights lie together
  bool by_output;  // weights lie (output, values); else (panel / width, step, panel % width, depth / quad, lane, quad)
  bool wants_add_table;
  uint32_t max_panels;                  // maximum per block
  uint32_t max_blocks;                  // maximum per group
  uint32_t max_pixels[kMaxPanels + 1];  // fastest numbers of pixels, by number of panels
  bool pads;                            // multiply() supports Tile::real
  // Called on each thread before and after multiplications, both in one function; null: nothing to do.
  void (*begin)();
  void (*multiply[kMaxPanels + 1][kMaxPixels + 1])(const Tile& tile);  // [panels][pixels], up to max_pixels
  void (*end)();
  bool does_meanwhile;  // multiply() does Tile::meanwhile, which must be empty otherwise; groups have one block
  void (*scale)(const ScaleTask& task);
  void (*add)(const AddTask& task, const void* a, const void* b, void* sum, size_t count);  // sum may be a or b
  bool multiplies_int8 = false;  // multiply() subtracts 128 from each value first, so that start values need not do it
};

// Returns the kernels of `isa`, which this CPU must support.
const TileKernels& TileKernelsFor(Isa isa);

const TileKernels& PortableTileKernels();
// On x86-64 only.
const TileKernels& Avx2TileKernels();
const TileKernels& AvxVnniTileKernels();
const TileKernels& Avx512VnniTileKernels();
const TileKernels& AmxTileKernels();
// On 64-bit Arm only.
const TileKernels& DotProdTileKernels();
const TileKernels& I8mmTileKernels();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_TILE_KERNELS_H_
