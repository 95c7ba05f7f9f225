// TileKernels: the code that differs between the instruction sets: the sums of a tile, and their scaling to values.
#ifndef LOCKSTEP_LIB_INT8_CPU_TILE_KERNELS_H_
#define LOCKSTEP_LIB_INT8_CPU_TILE_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "lib/int8_cpu/isa.h"
#include "lib/int8_cpu/scale_task.h"
#include "lib/int8_cpu/tile.h"

namespace lockstep {

struct TileKernels {
  uint32_t value_bytes = 1;  // 1: uint8, 2: int16
  uint32_t lanes = 1;
  uint32_t depth = 1;  // consecutive values of each pixel per step
  uint32_t quad = 1;   // values of a step whose weights are adjacent
  uint32_t rows = 1;   // pixels that take no longer than one pixel
  uint32_t width = 1;  // panels whose weights lie together
  bool by_output =
      false;  // weights lie (output, values); else (panel / width, step, panel % width, depth / quad, lane,
              // quad)
  bool wants_add_table = false;
  uint32_t max_panels = 1;                   // maximum per block
  uint32_t max_blocks = 1;                   // maximum per group
  uint32_t max_pixels[kMaxPanels + 1] = {};  // fastest numbers of pixels, by number of panels
  bool pads = false;                         // multiply() supports Tile::real
  // Called on each thread before and after multiplications, both in one function; null: nothing to do.
  void (*begin)() = nullptr;
  void (*end)() = nullptr;
  void (*multiply[kMaxPanels + 1][kMaxPixels + 1])(const Tile& tile) = {};  // [panels][pixels], up to max_pixels
  bool does_meanwhile = false;  // multiply() does Tile::meanwhile, which must be empty otherwise; groups have one block
  bool multiplies_int8 = false;  // multiply() subtracts 128 from each value first, so that start values need not do it
  void (*scale)(const ScaleTask& task) = nullptr;
  // Adds `count` values; `sum` may be `a` or `b`.
  void (*add)(const AddTask& task, const void* a, const void* b, void* sum, size_t count) = nullptr;
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
