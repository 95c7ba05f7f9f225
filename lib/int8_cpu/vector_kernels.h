// VectorKernels: the kernels of an instruction set with vectors. Textual header, like tile_multiply.h.
#ifndef LOCKSTEP_LIB_INT8_CPU_VECTOR_KERNELS_H_
#define LOCKSTEP_LIB_INT8_CPU_VECTOR_KERNELS_H_

#include <cstdint>
#include <iterator>

#include "lib/int8_cpu/multiply_table.h"
#include "lib/int8_cpu/tile_kernels.h"
#include "lib/int8_cpu/tile_multiply.h"
#include "lib/int8_cpu/vector_add.h"
#include "lib/int8_cpu/vector_scale.h"

namespace lockstep {
namespace {

template <typename V>
struct VectorMultiply {
  static constexpr auto& kMaxPixels = V::kMaxPixels;
  static constexpr uint32_t kRowPixels = V::kRowPixels;

  template <uint32_t kPanels, uint32_t kRows>
  static constexpr auto Multiply = MultiplyTile<V, kPanels, kRows>;
};

// Returns `kernels` with everything that V describes to tile_multiply.h, vector_scale.h and vector_add.h. V also has
//   kMaxPixels   array: fastest numbers of pixels, for 1, 2, ... panels
template <typename V>
constexpr TileKernels VectorKernels(TileKernels kernels) {
  kernels.value_bytes = sizeof(typename V::Value);
  kernels.lanes = V::kLanes;
  kernels.depth = V::kDepth;
  kernels.quad = V::kDepth;
  kernels.rows = V::kRowPixels;
  kernels.width = std::size(V::kMaxPixels);
  kernels.scale = Scale<V>;
  kernels.add = Add<V>;
  return WithMultiplyTable<VectorMultiply<V>>(kernels);
}

}  // namespace
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_VECTOR_KERNELS_H_
