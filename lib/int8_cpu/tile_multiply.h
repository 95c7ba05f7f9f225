// MultiplyTile: the sums of a tile, for every instruction set with vectors.
//
// Textual header. The file that includes it first defines LOCKSTEP_TARGET: gnu::target with the instructions of the
// file, which all functions here then have. They are in an unnamed namespace, so that each file has its own.
//
// V describes the instruction set:
//   Value, Weight          types in memory
//   Int                    vector of int32 sums; kParts of them are one panel of kLanes outputs
//   kDepth                 values of a step
//   kRowPixels             pixels that are multiplied together: one row
//   Inputs, RowInputs      pointers to the values of a row
//   LoadStart, StoreSums   start values and sums of one panel and one row
//   LoadWeights            weights of one Int
//   LoadStep               values of one step of a row
//   AddProducts            sums plus the products of a step
//   kSteps                 steps whose values are loaded together. If more than one:
//   LoadSteps              loads them, as V::Values; AddProducts<i> multiplies step i of them
#ifndef LOCKSTEP_LIB_INT8_CPU_TILE_MULTIPLY_H_
#define LOCKSTEP_LIB_INT8_CPU_TILE_MULTIPLY_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "lib/int8_cpu/input_stationary.h"
#include "lib/int8_cpu/tile.h"
#include "lib/int8_cpu/tile_types.h"
#include "lib/int8_cpu/weight_stationary.h"

namespace lockstep {
namespace {

// TileKernels::multiply.
template <typename V, uint32_t kPanels, uint32_t kRows>
[[LOCKSTEP_TARGET]] void MultiplyTile(const Tile& tile) {
  using Types = TileTypes<V, kPanels, kRows>;
  using Steps =
      std::conditional_t<V::kSteps == 1, WeightStationary<V, kPanels, kRows>, InputStationary<V, kPanels, kRows>>;
  typename Types::Sums sums;
  typename Types::Inputs inputs;
#pragma GCC unroll 8
  for (uint32_t r = 0; r < kRows; ++r) {
    inputs[r] = V::RowInputs(tile, r);
#pragma GCC unroll 4
    for (uint32_t n = 0; n < kPanels; ++n) {
      V::LoadStart(tile.start + n * V::kLanes, &sums[r][n * V::kParts]);
    }
  }
  for (size_t i = 0; i < tile.run_count; ++i) {
    const TapRun& run = tile.runs[i];
    const auto* weights = static_cast<const typename V::Weight*>(tile.weights) + run.weights * Types::kStepWeights;
    Steps::AddProducts(inputs, run.input, run.input + size_t{run.steps} * V::kDepth, weights, sums);
  }
#pragma GCC unroll 8
  for (uint32_t r = 0; r < kRows; ++r) {
    int32_t* const row = tile.sums + size_t{r} * V::kRowPixels * tile.stride;
#pragma GCC unroll 4
    for (uint32_t n = 0; n < kPanels; ++n) {
      V::StoreSums(&sums[r][n * V::kParts], row + n * V::kLanes, tile.stride);
    }
  }
}

}  // namespace
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_TILE_MULTIPLY_H_
