// YmmVector: the 256-bit vectors of x86-64, as the kernels of AVX2 and AVX-VNNI use them. Textual header, like
// tile_multiply.h; LOCKSTEP_TARGET must include "avx2,fma".
#ifndef LOCKSTEP_LIB_INT8_CPU_YMM_VECTOR_H_
#define LOCKSTEP_LIB_INT8_CPU_YMM_VECTOR_H_

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lib/int8_cpu/copy_part.h"
#include "lib/int8_cpu/pixel_rows.h"

#define YMM_INLINE [[LOCKSTEP_TARGET, gnu::always_inline]] static

namespace lockstep {
namespace {

template <typename ValueType, typename WeightType>
struct YmmVector : PixelRows<ValueType> {
  using Value = ValueType;
  using Weight = WeightType;
  using Int = __m256i;
  using Float = __m256;
  static constexpr uint32_t kLanes = 8, kStored = 2;
  static constexpr uint32_t kDepth = sizeof(int32_t) / sizeof(Value), kSteps = 1, kParts = 1;

  // Loads and stores of MultiplyTile().
  YMM_INLINE Int LoadStep(const Value* inputs, size_t k) {
    int32_t values;
    std::memcpy(&values, inputs + k, sizeof(values));
    return _mm256_set1_epi32(values);
  }
  YMM_INLINE Int LoadWeights(const Weight* weights) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(weights));
  }
  YMM_INLINE void LoadStart(const int32_t* start, Int* sums) { *sums = LoadSums(start); }
  YMM_INLINE void StoreSums(const Int* sums, int32_t* target, size_t) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(target), *sums);
  }

  // Loads, stores and arithmetic of Scale() and Add().
  YMM_INLINE Int LoadSums(const int32_t* sums) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums)); }
  YMM_INLINE Float LoadFloats(const float* source, size_t count) {
    Float loaded = _mm256_setzero_ps();
    std::memcpy(&loaded, source, count * sizeof(float));
    return loaded;
  }
  YMM_INLINE void LoadValues(const Value* source, size_t count, Float (&loaded)[kStored]) {
    Value all[kStored * kLanes] = {};
    if (count < kStored * kLanes) {
      CopyPart(source, count, all);
      source = all;
    }
    loaded[0] = LoadEight(source);
    loaded[1] = LoadEight(source + kLanes);
  }
  YMM_INLINE void StoreValues(const Int (&values)[kStored], Value* target, size_t count) {
    const Int words = _mm256_permute4x64_epi64(_mm256_packus_epi32(values[0], values[1]), 0xD8);  // packs within halves
    if (count >= kStored * kLanes) {
      StoreWords(words, target);
    } else {
      Value all[kStored * kLanes];
      StoreWords(words, all);
      CopyPart(all, count, target);
    }
  }
  YMM_INLINE Float Broadcast(float value) { return _mm256_set1_ps(value); }
  YMM_INLINE Int Broadcast(int32_t value) { return _mm256_set1_epi32(value); }
  YMM_INLINE Float Convert(Int value) { return _mm256_cvtepi32_ps(value); }
  YMM_INLINE Int RoundToInt(Float value) { return _mm256_cvtps_epi32(value); }
  YMM_INLINE Float Min(Float a, Float b) { return _mm256_min_ps(a, b); }
  YMM_INLINE Int Max(Int a, Int b) { return _mm256_max_epi32(a, b); }
  YMM_INLINE Float Add(Float a, Float b) { return _mm256_add_ps(a, b); }
  YMM_INLINE Int Add(Int a, Int b) { return _mm256_add_epi32(a, b); }
  YMM_INLINE Float Multiply(Float a, Float b) { return _mm256_mul_ps(a, b); }
  YMM_INLINE Float MultiplyAdd(Float a, Float b, Float c) { return _mm256_fmadd_ps(a, b, c); }

 private:
  YMM_INLINE Float LoadEight(const uint8_t* source) {
    return Convert(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(source))));
  }
  YMM_INLINE Float LoadEight(const int16_t* source) {
    return Convert(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(source))));
  }
  YMM_INLINE void StoreWords(Int words, uint8_t* target) {
    const __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(target), bytes);
  }
  YMM_INLINE void StoreWords(Int words, int16_t* target) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(target), _mm256_min_epi16(words, _mm256_set1_epi16(255)));
  }
};

}  // namespace
}  // namespace lockstep

#undef YMM_INLINE

#endif  // LOCKSTEP_LIB_INT8_CPU_YMM_VECTOR_H_
