// Scale: the sums of a tile to values, for every instruction set with vectors. Textual header, like tile_multiply.h.
//
// V describes the instruction set:
//   Value               type in memory
//   Int, Float          vectors of kLanes int32 and float32
//   kStored             vectors that are stored together
//   LoadSums            Int in memory, at any address
//   LoadFloats          the first `count` floats of a Float; the others are 0
//   StoreValues         stores the first `count` values of kStored vectors, whose lanes must not be negative, and which
//                       it clamps to 255
//   Broadcast, Convert, RoundToInt, Min, Max, Add, Multiply: arithmetic. RoundToInt rounds half to even.
#ifndef LOCKSTEP_LIB_INT8_CPU_VECTOR_SCALE_H_
#define LOCKSTEP_LIB_INT8_CPU_VECTOR_SCALE_H_

#include <cstddef>
#include <cstdint>

#include "lib/int8_cpu/scale_task.h"

namespace lockstep {
namespace {

template <typename V>
struct ScalingVectors {
  typename V::Float multiplier, bias, high;
  typename V::Int zero, lowest;
};

// Loads the factors of the outputs from `first` on; those beyond the last output are 0.
template <typename V>
[[LOCKSTEP_TARGET, gnu::always_inline]] inline ScalingVectors<V> LoadScaling(const Scaling& scaling, size_t first,
                                                                             size_t outputs) {
  const size_t count = outputs <= first ? 0 : outputs - first < V::kLanes ? outputs - first : V::kLanes;
  return {V::LoadFloats(scaling.multiplier + first, count),
          scaling.bias == nullptr ? V::Broadcast(0.0f) : V::LoadFloats(scaling.bias + first, count),
          V::Broadcast(scaling.high), V::Broadcast(scaling.zero), V::Broadcast(scaling.lowest)};
}

// Returns the largest sums of one pixel's window.
template <typename V>
[[LOCKSTEP_TARGET, gnu::always_inline]] inline typename V::Int LargestSums(const ScaleTask& task, const int32_t* sums) {
  typename V::Int largest = V::LoadSums(sums);
  for (size_t i = 0; i < task.window; ++i) {
    const int32_t* pixel = sums + i * task.stride;
    largest = V::Max(largest, V::LoadSums(pixel));
    if (task.pair != 0) {
      largest = V::Max(largest, V::LoadSums(pixel + task.pair));
    }
  }
  return largest;
}

template <typename V>
[[LOCKSTEP_TARGET, gnu::always_inline]] inline typename V::Int ScaleLanes(const ScalingVectors<V>& scaling,
                                                                          const ScaleTask& task, const int32_t* sums) {
  const auto sum = V::Convert(LargestSums<V>(task, sums));
  const auto real = V::Multiply(V::Add(sum, scaling.bias), scaling.multiplier);
  return V::Max(V::Add(V::RoundToInt(V::Min(real, scaling.high)), scaling.zero), scaling.lowest);
}

// TileKernels::scale. Takes a copy of the task, which no store of values can change: its fields stay in registers.
template <typename V>
[[LOCKSTEP_TARGET]] void Scale(const ScaleTask& scale_task) {
  constexpr size_t kGroup = V::kStored * V::kLanes;
  const ScaleTask task = scale_task;
  for (size_t o = 0; o < task.outputs; o += kGroup) {
    ScalingVectors<V> scaling[V::kStored];
#pragma GCC unroll 2
    for (uint32_t n = 0; n < V::kStored; ++n) {
      scaling[n] = LoadScaling<V>(task.scaling, o + n * V::kLanes, task.outputs);
    }
    const int32_t* sums = task.sums + o;
    for (size_t p = 0; p < task.pixels; ++p, sums += task.window * task.stride) {
      typename V::Int values[V::kStored];
#pragma GCC unroll 2
      for (uint32_t n = 0; n < V::kStored; ++n) {
        values[n] = ScaleLanes<V>(scaling[n], task, sums + n * V::kLanes);
      }
      V::StoreValues(values, static_cast<typename V::Value*>(task.targets[p]) + o, task.outputs - o);
    }
  }
}

}  // namespace
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_VECTOR_SCALE_H_
