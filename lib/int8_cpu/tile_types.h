// TileTypes: the registers and weights of a tile of kRows rows and kPanels panels, for the instruction set that V
// describes (tile_multiply.h). Textual header, like tile_multiply.h.
#ifndef LOCKSTEP_LIB_INT8_CPU_TILE_TYPES_H_
#define LOCKSTEP_LIB_INT8_CPU_TILE_TYPES_H_

#include <cstddef>
#include <cstdint>

namespace lockstep {
namespace {

template <typename V, uint32_t kPanels, uint32_t kRows>
struct TileTypes {
  static constexpr uint32_t kVectors = kPanels * V::kParts;                            // sums of a row
  static constexpr size_t kVectorWeights = size_t{V::kLanes} * V::kDepth / V::kParts;  // weights of a vector
  static constexpr size_t kStepWeights = kVectors * kVectorWeights;                    // weights of a step
  using Sums = typename V::Int[kRows][kVectors];
  using Inputs = typename V::Inputs[kRows];
  using Weight = typename V::Weight;
};

}  // namespace
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_TILE_TYPES_H_
