// PixelRows: rows of one pixel each, whose values are read by one pointer. A part of an instruction set's description
// for tile_multiply.h.
#ifndef LOCKSTEP_LIB_INT8_CPU_PIXEL_ROWS_H_
#define LOCKSTEP_LIB_INT8_CPU_PIXEL_ROWS_H_

#include <cstdint>

#include "lib/int8_cpu/tile.h"

namespace lockstep {

template <typename Value>
struct PixelRows {
  static constexpr uint32_t kRowPixels = 1;
  using Inputs = const Value*;

  [[gnu::always_inline]] static Inputs RowInputs(const Tile& tile, uint32_t row) {
    return static_cast<const Value*>(tile.inputs[row]);
  }
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_PIXEL_ROWS_H_
