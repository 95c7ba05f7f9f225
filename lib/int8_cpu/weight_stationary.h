// WeightStationary: the products of a run of steps, for instruction sets whose weights of a step stay in registers,
// while the values of each row are loaded and used at once. Textual header, like tile_multiply.h.
#ifndef LOCKSTEP_LIB_INT8_CPU_WEIGHT_STATIONARY_H_
#define LOCKSTEP_LIB_INT8_CPU_WEIGHT_STATIONARY_H_

#include <cstddef>
#include <cstdint>

#include "lib/int8_cpu/tile_types.h"

namespace lockstep {
namespace {

template <typename V, uint32_t kPanels, uint32_t kRows>
struct WeightStationary {
  using Types = TileTypes<V, kPanels, kRows>;

  // Adds the products of the values [k, end) of each row.
  [[LOCKSTEP_TARGET, gnu::always_inline]] static void AddProducts(const typename Types::Inputs& inputs, size_t k,
                                                                  size_t end, const typename Types::Weight* weights,
                                                                  typename Types::Sums& sums) {
#pragma GCC unroll 1
    for (; k < end; k += V::kDepth) {
      typename V::Int weight[Types::kVectors];
#pragma GCC unroll 8
      for (uint32_t n = 0; n < Types::kVectors; ++n) {
        weight[n] = V::LoadWeights(weights + n * Types::kVectorWeights);
      }
      weights += Types::kStepWeights;
#pragma GCC unroll 8
      for (uint32_t r = 0; r < kRows; ++r) {
        const auto values = V::LoadStep(inputs[r], k);
#pragma GCC unroll 8
        for (uint32_t n = 0; n < Types::kVectors; ++n) {
          sums[r][n] = V::AddProducts(sums[r][n], values, weight[n]);
        }
      }
    }
  }
};

}  // namespace
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_WEIGHT_STATIONARY_H_
