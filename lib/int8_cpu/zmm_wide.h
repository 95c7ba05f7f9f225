// Scaling and addition of 64 values at a time, with one store. Textual header, like tile_multiply.h; LOCKSTEP_TARGET
// must include "avx512f,avx512bw,avx512vl".
#ifndef LOCKSTEP_LIB_INT8_CPU_ZMM_WIDE_H_
#define LOCKSTEP_LIB_INT8_CPU_ZMM_WIDE_H_

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "lib/int8_cpu/vector_add.h"
#include "lib/int8_cpu/vector_scale.h"
#include "lib/int8_cpu/zmm_vector.h"

namespace lockstep {
namespace {

constexpr uint32_t kWideVectors = 4;
constexpr size_t kWide = kWideVectors * ZmmVector::kLanes;

// Returns the bytes of 64 int32 values plus `zero`, each clamped to [0, 255] and then to at least `lowest`.
[[LOCKSTEP_TARGET, gnu::always_inline]] inline __m512i Pack(const __m512i (&values)[kWideVectors], __m512i zero,
                                                            __m512i lowest) {
  const __m512i front = _mm512_adds_epi16(_mm512_packs_epi32(values[0], values[1]), zero);
  const __m512i back = _mm512_adds_epi16(_mm512_packs_epi32(values[2], values[3]), zero);
  // Packing works within each quarter of a vector, so the order is restored at the end.
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return _mm512_max_epu8(_mm512_permutexvar_epi32(order, _mm512_packus_epi16(front, back)), lowest);
}

// Scales 64 outputs of each pixel, from `first` on, without a float bias and without max-pooling.
[[LOCKSTEP_TARGET]] inline void ScaleWide(const ScaleTask& task, size_t first) {
  const __m512 high = _mm512_set1_ps(task.scaling.high);
  const __m512i zero = _mm512_set1_epi16(static_cast<int16_t>(task.scaling.zero));
  const __m512i lowest = _mm512_set1_epi8(static_cast<char>(task.scaling.lowest));
  __m512 multiplier[kWideVectors];
  for (uint32_t n = 0; n < kWideVectors; ++n) {
    multiplier[n] = _mm512_loadu_ps(task.scaling.multiplier + first + n * ZmmVector::kLanes);
  }
  for (size_t p = 0; p < task.pixels; ++p) {
    const int32_t* sums = task.sums + p * task.stride + first;
    __m512i values[kWideVectors];
#pragma GCC unroll 4
    for (uint32_t n = 0; n < kWideVectors; ++n) {
      const __m512i sum = _mm512_load_si512(sums + n * ZmmVector::kLanes);
      const __m512 real = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), multiplier[n]);
      values[n] = _mm512_cvtps_epi32(_mm512_min_ps(real, high));
    }
    _mm512_storeu_si512(static_cast<uint8_t*>(task.targets[p]) + first, Pack(values, zero, lowest));
  }
}

// TileKernels::scale.
[[LOCKSTEP_TARGET]] inline void ScaleZmm(const ScaleTask& task) {
  if (task.outputs % kWide != 0 || task.window != 1 || task.scaling.bias != nullptr) {
    Scale<ZmmVector>(task);
    return;
  }
  for (size_t first = 0; first < task.outputs; first += kWide) {
    ScaleWide(task, first);
  }
}

// TileKernels::add.
[[LOCKSTEP_TARGET]] inline void AddZmm(const AddTask& task, const void* a, const void* b, void* sum, size_t count) {
  const AddVectors<ZmmVector> factors = LoadAdd<ZmmVector>(task);
  const __m512i lowest = _mm512_set1_epi8(static_cast<char>(task.lowest));
  const auto* from_a = static_cast<const uint8_t*>(a);
  const auto* from_b = static_cast<const uint8_t*>(b);
  auto* to = static_cast<uint8_t*>(sum);
  size_t i = 0;
  for (; i + kWide <= count; i += kWide) {
    __m512i values[kWideVectors];
#pragma GCC unroll 4
    for (uint32_t n = 0; n < kWideVectors; ++n) {
      const size_t at = i + n * ZmmVector::kLanes;
      __m512 real_a[1], real_b[1];
      ZmmVector::LoadValues(from_a + at, ZmmVector::kLanes, real_a);
      ZmmVector::LoadValues(from_b + at, ZmmVector::kLanes, real_b);
      values[n] = AddAndRound<ZmmVector>(factors, real_a[0], real_b[0]);
    }
    _mm512_storeu_si512(to + i, Pack(values, _mm512_setzero_si512(), lowest));
  }
  if (i < count) {
    Add<ZmmVector>(task, from_a + i, from_b + i, to + i, count - i);
  }
}

}  // namespace
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_ZMM_WIDE_H_
