// InputStationary: the products of a run of steps, for instruction sets that load the values of several steps at once.
// The values stay in registers, while each vector of weights is loaded and used at once. Textual header, like
// tile_multiply.h.
#ifndef LOCKSTEP_LIB_INT8_CPU_INPUT_STATIONARY_H_
#define LOCKSTEP_LIB_INT8_CPU_INPUT_STATIONARY_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "lib/int8_cpu/tile_types.h"

namespace lockstep {
namespace {

template <typename V, uint32_t kPanels, uint32_t kRows>
struct InputStationary {
  using Types = TileTypes<V, kPanels, kRows>;
  using Weight = typename Types::Weight;
  using Sums = typename Types::Sums;
  using Values = typename V::Values[kRows];

  // Adds the products of the values [k, end) of each row.
  [[LOCKSTEP_TARGET, gnu::always_inline]] static void AddProducts(const typename Types::Inputs& inputs, size_t k,
                                                                  size_t end, const Weight* weights, Sums& sums) {
    constexpr size_t kLoaded = V::kSteps * V::kDepth;
#pragma GCC unroll 1
    for (; k + kLoaded <= end; k += kLoaded) {
      Values values;
#pragma GCC unroll 8
      for (uint32_t r = 0; r < kRows; ++r) {
        values[r] = V::LoadSteps(inputs[r], k);
      }
      AddSteps(values, weights, sums, std::make_integer_sequence<int, V::kSteps>());
      weights += V::kSteps * Types::kStepWeights;
    }
    if constexpr (V::kSteps == 2) {
      if (k < end) {  // at most one step is left: a loop would copy registers
        AddLastStep(inputs, k, weights, sums);
      }
    } else {
#pragma GCC unroll 1
      for (; k < end; k += V::kDepth, weights += Types::kStepWeights) {
        AddLastStep(inputs, k, weights, sums);
      }
    }
  }

 private:
  [[LOCKSTEP_TARGET, gnu::always_inline]] static void AddLastStep(const typename Types::Inputs& inputs, size_t k,
                                                                  const Weight* weights, Sums& sums) {
    Values values;
#pragma GCC unroll 8
    for (uint32_t r = 0; r < kRows; ++r) {
      values[r] = V::LoadStep(inputs[r], k);
    }
    AddStep<0>(values, weights, sums);
  }

  template <int... kStep>
  [[LOCKSTEP_TARGET, gnu::always_inline]] static void AddSteps(const Values& values, const Weight* weights, Sums& sums,
                                                               std::integer_sequence<int, kStep...>) {
    (AddStep<kStep>(values, weights + kStep * Types::kStepWeights, sums), ...);
  }

  template <int kStep>
  [[LOCKSTEP_TARGET, gnu::always_inline]] static void AddStep(const Values& values, const Weight* weights, Sums& sums) {
#pragma GCC unroll 8
    for (uint32_t n = 0; n < Types::kVectors; ++n) {
      const auto weight = V::LoadWeights(weights + n * Types::kVectorWeights);
#pragma GCC unroll 8
      for (uint32_t r = 0; r < kRows; ++r) {
        sums[r][n] = V::template AddProducts<kStep>(sums[r][n], values[r], weight);
      }
    }
  }
};

}  // namespace
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_INPUT_STATIONARY_H_
