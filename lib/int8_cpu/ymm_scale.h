// Shared code of the two instruction sets with 256-bit vectors: scaling of eight sums to eight values, and addition.
#ifndef LOCKSTEP_LIB_INT8_CPU_YMM_SCALE_H_
#define LOCKSTEP_LIB_INT8_CPU_YMM_SCALE_H_

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lib/int8_cpu/tile_kernels.h"

namespace lockstep {

inline constexpr uint32_t kYmmLanes = 8;

// Packs sixteen int32 values, clamped to [0, 255], and stores them.
[[gnu::target("avx2,fma"), gnu::always_inline]] inline __m256i PackWords(__m256i front, __m256i back) {
  return _mm256_permute4x64_epi64(_mm256_packus_epi32(front, back), 0xD8);  // packing works within halves
}
[[gnu::target("avx2,fma"), gnu::always_inline]] inline void StoreSixteen(__m256i words, int16_t* target) {
  const __m256i values = _mm256_min_epi16(words, _mm256_set1_epi16(255));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(target), values);
}
[[gnu::target("avx2,fma"), gnu::always_inline]] inline void StoreSixteen(__m256i words, uint8_t* target) {
  const __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(target), bytes);
}

// Stores the first `count` of sixteen values.
template <typename Value>
[[gnu::target("avx2,fma"), gnu::always_inline]] inline void StoreValues(__m256i front, __m256i back, Value* target,
                                                                        size_t count) {
  const __m256i words = PackWords(front, back);
  if (count >= 2 * kYmmLanes) {
    StoreSixteen(words, target);
  } else {
    Value values[2 * kYmmLanes];
    StoreSixteen(words, values);
    std::memcpy(target, values, count * sizeof(Value));
  }
}

[[gnu::target("avx2,fma"), gnu::always_inline]] inline __m256 LoadEight(const uint8_t* source) {
  return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(source))));
}
[[gnu::target("avx2,fma"), gnu::always_inline]] inline __m256 LoadEight(const int16_t* source) {
  return _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(source))));
}

[[gnu::target("avx2,fma"), gnu::always_inline]] inline __m256i LoadSums(const int32_t* sums) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums));
}

struct YmmScaling {
  __m256 multiplier, bias, high;
  __m256i zero, lowest;
};

// Loads the factors of eight outputs from `at` on; those beyond the last output are 0.
[[gnu::target("avx2,fma"), gnu::always_inline]] inline YmmScaling LoadScaling(const Scaling& scaling, size_t at,
                                                                              size_t outputs) {
  YmmScaling loaded = {_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_set1_ps(scaling.high),
                       _mm256_set1_epi32(scaling.zero), _mm256_set1_epi32(scaling.lowest)};
  const size_t count = outputs <= at ? 0 : outputs - at < kYmmLanes ? outputs - at : kYmmLanes;
  std::memcpy(&loaded.multiplier, scaling.multiplier + at, count * sizeof(float));
  if (scaling.bias != nullptr) {
    std::memcpy(&loaded.bias, scaling.bias + at, count * sizeof(float));
  }
  return loaded;
}

[[gnu::target("avx2,fma"), gnu::always_inline]] inline __m256i ScaleLanes(const YmmScaling& scaling,
                                                                          const ScaleTask& task, const int32_t* sums) {
  __m256i sum = LoadSums(sums);
  for (size_t i = 0; i < task.window; ++i) {
    const int32_t* pixel = sums + i * task.stride;
    sum = _mm256_max_epi32(sum, LoadSums(pixel));
    if (task.pair != 0) {
      sum = _mm256_max_epi32(sum, LoadSums(pixel + task.pair));
    }
  }
  const __m256 real = _mm256_mul_ps(_mm256_add_ps(_mm256_cvtepi32_ps(sum), scaling.bias), scaling.multiplier);
  const __m256i value = _mm256_cvtps_epi32(_mm256_min_ps(real, scaling.high));
  return _mm256_max_epi32(_mm256_add_epi32(value, scaling.zero), scaling.lowest);
}

template <typename Value>
[[gnu::target("avx2,fma")]] void YmmScale(const ScaleTask& task) {
  for (size_t o = 0; o < task.outputs; o += 2 * kYmmLanes) {
    const YmmScaling front = LoadScaling(task.scaling, o, task.outputs);
    const YmmScaling back = LoadScaling(task.scaling, o + kYmmLanes, task.outputs);
    for (size_t p = 0; p < task.pixels; ++p) {
      const int32_t* sums = task.sums + p * task.window * task.stride + o;
      StoreValues(ScaleLanes(front, task, sums), ScaleLanes(back, task, sums + kYmmLanes),
                  static_cast<Value*>(task.targets[p]) + o, task.outputs - o);
    }
  }
}

struct YmmAddFactors {
  __m256 a, b, offset, high;
  __m256i lowest;
};

template <typename Value>
[[gnu::target("avx2,fma"), gnu::always_inline]] inline __m256i AddLanes(const YmmAddFactors& factors, const Value* a,
                                                                        const Value* b) {
  const __m256 part = _mm256_fmadd_ps(LoadEight(b), factors.b, factors.offset);
  const __m256 real = _mm256_fmadd_ps(LoadEight(a), factors.a, part);
  return _mm256_max_epi32(_mm256_cvtps_epi32(_mm256_min_ps(real, factors.high)), factors.lowest);
}

template <typename Value>
[[gnu::target("avx2,fma")]] void YmmAdd(const AddTask& task, const void* a, const void* b, void* sum, size_t count) {
  constexpr size_t kStep = 2 * kYmmLanes;
  const YmmAddFactors factors = {_mm256_set1_ps(task.factors.a), _mm256_set1_ps(task.factors.b),
                                 _mm256_set1_ps(task.factors.offset), _mm256_set1_ps(255.0f),
                                 _mm256_set1_epi32(task.lowest)};
  const auto* from_a = static_cast<const Value*>(a);
  const auto* from_b = static_cast<const Value*>(b);
  auto* to = static_cast<Value*>(sum);
  for (size_t i = 0; i < count; i += kStep) {
    Value last_a[kStep], last_b[kStep];
    const bool is_whole = count - i >= kStep;
    if (!is_whole) {
      std::memcpy(last_a, from_a + i, (count - i) * sizeof(Value));
      std::memcpy(last_b, from_b + i, (count - i) * sizeof(Value));
    }
    const Value* values_a = is_whole ? from_a + i : last_a;
    const Value* values_b = is_whole ? from_b + i : last_b;
    StoreValues(AddLanes(factors, values_a, values_b), AddLanes(factors, values_a + kYmmLanes, values_b + kYmmLanes),
                to + i, count - i);
  }
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_YMM_SCALE_H_
