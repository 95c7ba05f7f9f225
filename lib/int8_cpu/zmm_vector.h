// ZmmVector: the 512-bit vectors of x86-64, as the kernels of AVX-512 use them. Textual header, like tile_multiply.h;
// LOCKSTEP_TARGET must include "avx512f,avx512bw,avx512vl".
#ifndef LOCKSTEP_LIB_INT8_CPU_ZMM_VECTOR_H_
#define LOCKSTEP_LIB_INT8_CPU_ZMM_VECTOR_H_

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lib/int8_cpu/pixel_rows.h"

#define ZMM_INLINE [[LOCKSTEP_TARGET, gnu::always_inline]] static

namespace lockstep {
namespace {

struct ZmmVector : PixelRows<uint8_t> {
  using Value = uint8_t;
  using Weight = int8_t;
  using Int = __m512i;
  using Float = __m512;
  static constexpr uint32_t kLanes = 16, kStored = 1;
  static constexpr uint32_t kDepth = 4, kSteps = 1, kParts = 1;

  // Loads and stores of MultiplyTile().
  ZMM_INLINE Int LoadStep(const Value* inputs, size_t k) {
    int32_t values;
    std::memcpy(&values, inputs + k, sizeof(values));
    return _mm512_set1_epi32(values);
  }
  ZMM_INLINE Int LoadWeights(const Weight* weights) { return _mm512_load_si512(weights); }
  ZMM_INLINE void LoadStart(const int32_t* start, Int* sums) { *sums = _mm512_loadu_si512(start); }
  ZMM_INLINE void StoreSums(const Int* sums, int32_t* target, size_t) { _mm512_store_si512(target, *sums); }

  // Loads, stores and arithmetic of Scale() and Add().
  ZMM_INLINE Int LoadSums(const int32_t* sums) { return _mm512_loadu_si512(sums); }
  ZMM_INLINE Float LoadFloats(const float* source, size_t count) { return _mm512_maskz_loadu_ps(Mask(count), source); }
  ZMM_INLINE void LoadValues(const Value* source, size_t count, Float (&loaded)[kStored]) {
    const __m128i values = count >= kLanes ? _mm_loadu_si128(reinterpret_cast<const __m128i*>(source))
                                           : _mm_maskz_loadu_epi8(Mask(count), source);
    loaded[0] = Convert(_mm512_cvtepu8_epi32(values));
  }
  ZMM_INLINE void StoreValues(const Int (&values)[kStored], Value* target, size_t count) {
    const __m128i bytes = _mm512_cvtusepi32_epi8(values[0]);
    if (count >= kLanes) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(target), bytes);
    } else {
      _mm_mask_storeu_epi8(target, Mask(count), bytes);
    }
  }
  ZMM_INLINE Float Broadcast(float value) { return _mm512_set1_ps(value); }
  ZMM_INLINE Int Broadcast(int32_t value) { return _mm512_set1_epi32(value); }
  ZMM_INLINE Float Convert(Int value) { return _mm512_cvtepi32_ps(value); }
  ZMM_INLINE Int RoundToInt(Float value) { return _mm512_cvtps_epi32(value); }
  ZMM_INLINE Float Min(Float a, Float b) { return _mm512_min_ps(a, b); }
  ZMM_INLINE Int Max(Int a, Int b) { return _mm512_max_epi32(a, b); }
  ZMM_INLINE Float Add(Float a, Float b) { return _mm512_add_ps(a, b); }
  ZMM_INLINE Int Add(Int a, Int b) { return _mm512_add_epi32(a, b); }
  ZMM_INLINE Float Multiply(Float a, Float b) { return _mm512_mul_ps(a, b); }
  ZMM_INLINE Float MultiplyAdd(Float a, Float b, Float c) { return _mm512_fmadd_ps(a, b, c); }

 private:
  ZMM_INLINE __mmask16 Mask(size_t count) {
    return static_cast<__mmask16>(count >= kLanes ? 0xFFFF : (1u << count) - 1);
  }
};

}  // namespace
}  // namespace lockstep

#undef ZMM_INLINE

#endif  // LOCKSTEP_LIB_INT8_CPU_ZMM_VECTOR_H_
