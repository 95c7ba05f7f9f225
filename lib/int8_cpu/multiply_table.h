// WithMultiplyTable: fills TileKernels::multiply from a function template.
#ifndef LOCKSTEP_LIB_INT8_CPU_MULTIPLY_TABLE_H_
#define LOCKSTEP_LIB_INT8_CPU_MULTIPLY_TABLE_H_

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "lib/int8_cpu/tile_kernels.h"

namespace lockstep {

template <typename Tier, uint32_t kPanels, uint32_t... kPixel>
constexpr void FillPanels(TileKernels& kernels, std::integer_sequence<uint32_t, kPixel...>) {
  ((kernels.multiply[kPanels][kPixel + 1] = Tier::template Multiply<kPanels, kPixel / Tier::kRowPixels + 1>), ...);
}

template <typename Tier, uint32_t... kPanel>
constexpr void FillTable(TileKernels& kernels, std::integer_sequence<uint32_t, kPanel...>) {
  kernels.max_panels = sizeof...(kPanel);
  ((kernels.max_pixels[kPanel + 1] = Tier::kMaxPixels[kPanel]), ...);
  // A tile holds a whole max-pooling window, even if fewer pixels would be faster.
  (FillPanels<Tier, kPanel + 1>(kernels,
                                std::make_integer_sequence<uint32_t, std::max(Tier::kMaxPixels[kPanel], kMaxWindow)>()),
   ...);
}

// Returns `kernels` with multiply, max_panels and max_pixels set. Tier has
//   kMaxPixels                 array: fastest numbers of pixels, for 1, 2, ... panels
//   kRowPixels                 pixels that are multiplied together: one row
//   Multiply<panels, rows>     TileKernels::multiply of so many panels and pixels
template <typename Tier>
constexpr TileKernels WithMultiplyTable(TileKernels kernels) {
  FillTable<Tier>(kernels, std::make_integer_sequence<uint32_t, std::size(Tier::kMaxPixels)>());
  return kernels;
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_MULTIPLY_TABLE_H_
