// What differs between the instruction sets: the sums of a tile, and from sums to values. All else is shared.
//
// Between layers a value is kept as uint8, int8 value + 128, in one byte or in an int16. A tile is up to kMaxPixels
// output pixels, wherever they lie in the batch, times a block of outputs: `panels` vectors of `lanes` outputs. Its
// pixels have the same real taps, so that padding is never multiplied. What adding 128 and the zero point changes in the
// sums is part of where they start. Blocks that follow one another make a group, whose sums are scaled together.
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

// Values that follow one another in the input and, in the same order, in the packed weights: the taps of one row.
struct TapRun {
  uint32_t input;    // values from a pixel's first real tap
  uint32_t weights;  // steps from the block's first weight
  uint32_t steps;    // of TileKernels::depth values each
};

// A pixel's real taps: runs, and steps of each run, one behind the last.
struct RealSteps {
  uint32_t first_run, last_run;
  uint32_t first_step, last_step;
  uint32_t skipped;  // values from the first tap to the first real one
};

// What has nothing to do with a tile, and is done in parts while its multiplications are under way.
struct Meanwhile {
  void (*work)(const void* context, size_t part, size_t parts);  // null: nothing
  const void* context;
};

struct Tile {
  const void* inputs[kMaxPixels];  // each pixel's first real tap
  const TapRun* runs;
  size_t run_count;
  const void* weights;   // the block's
  size_t weight_stride;  // weights of one output
  const int32_t* start;  // (panels * lanes)
  int32_t* sums;         // (pixels, stride), of which panels * lanes are written; aligned to whole vectors. Pixels up
                         // to whole rows (TileKernels::rows) are overwritten
  size_t stride;
  uint32_t panels;
  size_t pixels;
  Meanwhile meanwhile;
  const RealSteps* const* real;  // of each pixel, whose other taps are `padding`; null: all taps of the runs are real
  uint8_t padding;
};

// From sums to values:
//     max(lowest, min(round_half_even((float32(sum) + bias) * multiplier), high) + zero)
struct Scaling {
  const float* multiplier;  // of each output
  const float* bias;        // of each output; null: none
  float high;               // 255 - zero
  int32_t zero;             // the output's zero point as a value: in [0, 255]
  int32_t lowest;           // the same after ReLU, else 0
};

struct ScaleTask {
  Scaling scaling;  // of the group's first output on
  const int32_t* sums;
  size_t stride;         // sums from one pixel to the next
  size_t window;         // pixels whose largest sum is taken, for max-pooling; else 1
  size_t pair;           // outputs from a sum to the other one of its pixel that is pooled with it; 0: none
  size_t pixels;         // that are written; window as many have sums
  size_t outputs;        // of the group that exist
  void* const* targets;  // the group's first value of each pixel
};

// clamp(round_half_even(fma(a, factors.a, fma(b, factors.b, factors.offset))), lowest, 255), as requantize.h.
struct AddTask {
  AddFactors factors;
  int32_t lowest;        // as in Scaling
  const uint8_t* table;  // result of (a, b) at [256 * a + b], where the kernels want it
};

struct TileKernels {
  uint32_t value_bytes;  // 1: uint8, 2: int16
  uint32_t lanes;
  uint32_t depth;  // consecutive values that a step takes of each pixel
  uint32_t quad;   // of them, those whose weights lie together
  uint32_t rows;   // pixels that take no longer than one
  uint32_t width;  // panels that lie together
  bool by_output;  // weights lie (output, values); else (panel / width, step, panel % width, depth / quad, lane, quad)
  bool wants_add_table;
  uint32_t most_panels;                  // of a block
  uint32_t most_blocks;                  // of a group
  uint32_t most_pixels[kMaxPanels + 1];  // that are fastest, by the number of panels
  bool pads;                             // multiply() takes Tile::real
  // On each thread, around multiplications, in one function; null: nothing to do.
  void (*begin)();
  void (*multiply[kMaxPanels + 1][kMaxPixels + 1])(const Tile& tile);  // [panels][pixels], up to most_pixels
  void (*end)();
  bool does_meanwhile;  // multiply() does Tile::meanwhile, which must be nothing otherwise; groups are of one block
  void (*scale)(const ScaleTask& task);
  void (*add)(const AddTask& task, const void* a, const void* b, void* sum, size_t count);  // sum may be a or b
  bool multiplies_int8 = false;  // multiply() takes 128 off each value first, so that no start of a sum has to
};

// `isa` must be supported by this CPU.
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
