// Add: the addition of values, for every instruction set with vectors. Textual header, like tile_multiply.h.
//
// V describes the instruction set, as in vector_scale.h, and with
//   LoadValues          the first `count` values of kStored vectors, as Float
//   MultiplyAdd         a * b + c on Float, rounded once
#ifndef LOCKSTEP_LIB_INT8_CPU_VECTOR_ADD_H_
#define LOCKSTEP_LIB_INT8_CPU_VECTOR_ADD_H_

#include <cstddef>
#include <cstdint>

#include "lib/int8_cpu/scale_task.h"

namespace lockstep {
namespace {

template <typename V>
struct AddVectors {
  typename V::Float a, b, offset, high;
  typename V::Int lowest;
};

template <typename V>
[[LOCKSTEP_TARGET, gnu::always_inline]] inline AddVectors<V> LoadAdd(const AddTask& task) {
  return {V::Broadcast(task.factors.a), V::Broadcast(task.factors.b), V::Broadcast(task.factors.offset),
          V::Broadcast(255.0f), V::Broadcast(task.lowest)};
}

// Returns sums of at most 255, not yet clamped to `lowest`.
template <typename V>
[[LOCKSTEP_TARGET, gnu::always_inline]] inline typename V::Int AddAndRound(const AddVectors<V>& factors,
                                                                           typename V::Float a, typename V::Float b) {
  const auto part = V::MultiplyAdd(b, factors.b, factors.offset);
  return V::RoundToInt(V::Min(V::MultiplyAdd(a, factors.a, part), factors.high));
}

// Adds the first `count` values of kStored vectors.
template <typename V>
[[LOCKSTEP_TARGET, gnu::always_inline]] inline void AddGroup(const AddVectors<V>& factors, const typename V::Value* a,
                                                             const typename V::Value* b, typename V::Value* sum,
                                                             size_t count) {
  typename V::Float real_a[V::kStored], real_b[V::kStored];
  V::LoadValues(a, count, real_a);
  V::LoadValues(b, count, real_b);
  typename V::Int values[V::kStored];
#pragma GCC unroll 2
  for (uint32_t n = 0; n < V::kStored; ++n) {
    values[n] = V::Max(AddAndRound<V>(factors, real_a[n], real_b[n]), factors.lowest);
  }
  V::StoreValues(values, sum, count);
}

// TileKernels::add.
template <typename V>
[[LOCKSTEP_TARGET]] void Add(const AddTask& task, const void* a, const void* b, void* sum, size_t count) {
  using Value = typename V::Value;
  constexpr size_t kGroup = V::kStored * V::kLanes;
  const AddVectors<V> factors = LoadAdd<V>(task);
  const auto* from_a = static_cast<const Value*>(a);
  const auto* from_b = static_cast<const Value*>(b);
  auto* to = static_cast<Value*>(sum);
  size_t i = 0;
  for (; i + kGroup <= count; i += kGroup) {
    AddGroup<V>(factors, from_a + i, from_b + i, to + i, kGroup);
  }
  if (i < count) {
    AddGroup<V>(factors, from_a + i, from_b + i, to + i, count - i);
  }
}

}  // namespace
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_VECTOR_ADD_H_
