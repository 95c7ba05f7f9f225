// AVX-512 VNNI: 16 outputs per vector, 4 values per step. vpdpbusd multiplies uint8 by int8 and adds 4 products to an
// int32 without saturation.
#include <immintrin.h>

#include <cstring>

#include "lib/int8_cpu/tile_kernels.h"

namespace lockstep {
namespace {

constexpr uint32_t kLanes = 16;
constexpr uint32_t kDepth = 4;

template <uint32_t kPanels, uint32_t kPixels>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni")]] void Multiply(const Tile& tile) {
  __m512i sums[kPixels][kPanels];
  const uint8_t* inputs[kPixels];
#pragma GCC unroll 8
  for (uint32_t p = 0; p < kPixels; ++p) {
    inputs[p] = static_cast<const uint8_t*>(tile.inputs[p]);
#pragma GCC unroll 4
    for (uint32_t n = 0; n < kPanels; ++n) {
      sums[p][n] = _mm512_loadu_si512(tile.start + n * kLanes);
    }
  }
  for (size_t r = 0; r < tile.run_count; ++r) {
    const TapRun& run = tile.runs[r];
    const int8_t* weights = static_cast<const int8_t*>(tile.weights) + size_t{run.weights} * kPanels * kLanes * kDepth;
    const size_t end = run.input + size_t{run.steps} * kDepth;
#pragma GCC unroll 1
    for (size_t k = run.input; k < end; k += kDepth) {
      __m512i weight[kPanels];
#pragma GCC unroll 4
      for (uint32_t n = 0; n < kPanels; ++n) {
        weight[n] = _mm512_load_si512(weights + n * kLanes * kDepth);
      }
      weights += kPanels * kLanes * kDepth;
#pragma GCC unroll 8
      for (uint32_t p = 0; p < kPixels; ++p) {
        int32_t values;
        std::memcpy(&values, inputs[p] + k, sizeof(values));
        const __m512i value = _mm512_set1_epi32(values);
#pragma GCC unroll 4
        for (uint32_t n = 0; n < kPanels; ++n) {
          sums[p][n] = _mm512_dpbusd_epi32(sums[p][n], value, weight[n]);
        }
      }
    }
  }
#pragma GCC unroll 8
  for (uint32_t p = 0; p < kPixels; ++p) {
#pragma GCC unroll 4
    for (uint32_t n = 0; n < kPanels; ++n) {
      _mm512_store_si512(tile.sums + p * tile.stride + n * kLanes, sums[p][n]);
    }
  }
}

// Returns the bytes of 64 int32 values plus `zero`, each clamped to [0, 255] and then to at least `lowest`.
[[gnu::target("avx512f,avx512bw,avx512vl"), gnu::always_inline]] inline __m512i Pack(const __m512i (&values)[4],
                                                                                     __m512i zero, __m512i lowest) {
  const __m512i front = _mm512_adds_epi16(_mm512_packs_epi32(values[0], values[1]), zero);
  const __m512i back = _mm512_adds_epi16(_mm512_packs_epi32(values[2], values[3]), zero);
  // Packing works within each quarter of a vector, so the order is restored at the end.
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return _mm512_max_epu8(_mm512_permutexvar_epi32(order, _mm512_packus_epi16(front, back)), lowest);
}

constexpr size_t kWide = 4 * kLanes;

// Scales 64 outputs of each pixel, from `first` on, without a float bias.
[[gnu::target("avx512f,avx512bw,avx512vl")]] void ScaleWide(const ScaleTask& task, size_t first) {
  const __m512 high = _mm512_set1_ps(task.scaling.high);
  const __m512i zero = _mm512_set1_epi16(static_cast<int16_t>(task.scaling.zero));
  const __m512i lowest = _mm512_set1_epi8(static_cast<char>(task.scaling.lowest));
  __m512 multiplier[4];
  for (uint32_t n = 0; n < 4; ++n) {
    multiplier[n] = _mm512_loadu_ps(task.scaling.multiplier + first + n * kLanes);
  }
  for (size_t p = 0; p < task.pixels; ++p) {
    const int32_t* sums = task.sums + p * task.stride + first;
    __m512i values[4];
#pragma GCC unroll 4
    for (uint32_t n = 0; n < 4; ++n) {
      const __m512 real = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_load_si512(sums + n * kLanes)), multiplier[n]);
      values[n] = _mm512_cvtps_epi32(_mm512_min_ps(real, high));
    }
    _mm512_storeu_si512(static_cast<uint8_t*>(task.targets[p]) + first, Pack(values, zero, lowest));
  }
}

// Returns the largest sums of 16 outputs.
[[gnu::target("avx512f,avx512bw,avx512vl"), gnu::always_inline]] inline __m512i LargestSums(const ScaleTask& task,
                                                                                            const int32_t* sums) {
  __m512i largest = _mm512_load_si512(sums);
  for (size_t i = 0; i < task.window; ++i) {
    const int32_t* pixel = sums + i * task.stride;
    largest = _mm512_max_epi32(largest, _mm512_load_si512(pixel));
    if (task.pair != 0) {
      largest = _mm512_max_epi32(largest, _mm512_loadu_si512(pixel + task.pair));
    }
  }
  return largest;
}

[[gnu::target("avx512f,avx512bw,avx512vl")]] void Scale(const ScaleTask& task) {
  const Scaling& scaling = task.scaling;
  if (task.outputs % kWide == 0 && task.window == 1 && scaling.bias == nullptr) {
    for (size_t first = 0; first < task.outputs; first += kWide) {
      ScaleWide(task, first);
    }
    return;
  }
  const __m512 high = _mm512_set1_ps(scaling.high);
  const __m512i zero = _mm512_set1_epi32(scaling.zero);
  const __m128i lowest = _mm_set1_epi8(static_cast<char>(scaling.lowest));
  for (size_t o = 0; o < task.outputs; o += kLanes) {
    const size_t left = task.outputs - o;
    const __mmask16 mask = static_cast<__mmask16>(left >= kLanes ? 0xFFFF : (1u << left) - 1);
    const __m512 multiplier = _mm512_maskz_loadu_ps(mask, scaling.multiplier + o);
    const __m512 bias = scaling.bias == nullptr ? _mm512_setzero_ps() : _mm512_maskz_loadu_ps(mask, scaling.bias + o);
    const int32_t* sums = task.sums + o;
    for (size_t p = 0; p < task.pixels; ++p) {
      const __m512i sum = LargestSums(task, sums);
      sums += task.window * task.stride;
      const __m512 real = _mm512_mul_ps(_mm512_add_ps(_mm512_cvtepi32_ps(sum), bias), multiplier);
      const __m512i value = _mm512_add_epi32(_mm512_cvtps_epi32(_mm512_min_ps(real, high)), zero);
      const __m128i bytes =
          _mm_max_epu8(_mm512_cvtusepi32_epi8(_mm512_max_epi32(value, _mm512_setzero_si512())), lowest);
      uint8_t* target = static_cast<uint8_t*>(task.targets[p]) + o;
      if (left >= kLanes) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(target), bytes);
      } else {
        _mm_mask_storeu_epi8(target, mask, bytes);
      }
    }
  }
}

struct AddFactorVectors {
  __m512 a, b, offset, high;
};

// Adds 16 bytes of each operand. Returns int32, not yet clamped to at least 0.
[[gnu::target("avx512f,avx512bw,avx512vl"), gnu::always_inline]] inline __m512i AddLanes(
    const AddFactorVectors& factors, __m128i a, __m128i b) {
  const __m512 real_a = _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(a));
  const __m512 real_b = _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(b));
  const __m512 real = _mm512_fmadd_ps(real_a, factors.a, _mm512_fmadd_ps(real_b, factors.b, factors.offset));
  return _mm512_cvtps_epi32(_mm512_min_ps(real, factors.high));
}

[[gnu::target("avx512f,avx512bw,avx512vl")]] void Add(const AddTask& task, const void* a, const void* b, void* sum,
                                                      size_t count) {
  const AddFactorVectors factors = {_mm512_set1_ps(task.factors.a), _mm512_set1_ps(task.factors.b),
                                    _mm512_set1_ps(task.factors.offset), _mm512_set1_ps(255.0f)};
  const auto* from_a = static_cast<const uint8_t*>(a);
  const auto* from_b = static_cast<const uint8_t*>(b);
  auto* to = static_cast<uint8_t*>(sum);
  size_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
    __m512i values[4];
#pragma GCC unroll 4
    for (uint32_t n = 0; n < 4; ++n) {
      const size_t at = i + n * kLanes;
      values[n] = AddLanes(factors, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from_a + at)),
                           _mm_loadu_si128(reinterpret_cast<const __m128i*>(from_b + at)));
    }
    const __m512i lowest = _mm512_set1_epi8(static_cast<char>(task.lowest));
    _mm512_storeu_si512(to + i, Pack(values, _mm512_setzero_si512(), lowest));
  }
  for (; i < count; i += kLanes) {
    const __mmask16 mask = static_cast<__mmask16>(count - i >= kLanes ? 0xFFFF : (1u << (count - i)) - 1);
    const __m512i value =
        AddLanes(factors, _mm_maskz_loadu_epi8(mask, from_a + i), _mm_maskz_loadu_epi8(mask, from_b + i));
    const __m512i min_value = _mm512_set1_epi32(task.lowest);
    _mm_mask_storeu_epi8(to + i, mask, _mm512_cvtepi32_epi8(_mm512_max_epi32(value, min_value)));
  }
}

}  // namespace

const TileKernels& Avx512VnniTileKernels() {
  static constexpr TileKernels kKernels = {
      /*value_bytes=*/1,
      kLanes,
      kDepth,
      /*quad=*/kDepth,
      /*rows=*/1,
      /*width=*/4,
      /*by_output=*/false,
      /*wants_add_table=*/false,
      /*max_panels=*/4,
      /*max_blocks=*/1,
      /*max_pixels=*/{0, 8, 8, 8, 6},
      /*pads=*/false,
      /*begin=*/nullptr,
      {{},
       {nullptr, Multiply<1, 1>, Multiply<1, 2>, Multiply<1, 3>, Multiply<1, 4>, Multiply<1, 5>, Multiply<1, 6>,
        Multiply<1, 7>, Multiply<1, 8>},
       {nullptr, Multiply<2, 1>, Multiply<2, 2>, Multiply<2, 3>, Multiply<2, 4>, Multiply<2, 5>, Multiply<2, 6>,
        Multiply<2, 7>, Multiply<2, 8>},
       {nullptr, Multiply<3, 1>, Multiply<3, 2>, Multiply<3, 3>, Multiply<3, 4>, Multiply<3, 5>, Multiply<3, 6>,
        Multiply<3, 7>, Multiply<3, 8>},
       {nullptr, Multiply<4, 1>, Multiply<4, 2>, Multiply<4, 3>, Multiply<4, 4>, Multiply<4, 5>, Multiply<4, 6>}},
      /*end=*/nullptr,
      /*does_meanwhile=*/false,
      Scale,
      Add,
  };
  return kKernels;
}

}  // namespace lockstep
