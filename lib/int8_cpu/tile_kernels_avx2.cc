// AVX2: 8 outputs per vector, 2 values per step. vpmaddwd multiplies int16 by int16 and adds 2 products to an int32,
// which these values cannot overflow. Values are kept as int16.
#include <immintrin.h>

#include <cstring>

#include "lib/int8_cpu/tile_kernels.h"
#include "lib/int8_cpu/ymm_scale.h"

namespace lockstep {
namespace {

constexpr uint32_t kDepth = 2;

template <uint32_t kPanels, uint32_t kPixels>
[[gnu::target("avx2,fma")]] void Multiply(const Tile& tile) {
  __m256i sums[kPixels][kPanels];
  const int16_t* inputs[kPixels];
#pragma GCC unroll 8
  for (uint32_t p = 0; p < kPixels; ++p) {
    inputs[p] = static_cast<const int16_t*>(tile.inputs[p]);
#pragma GCC unroll 4
    for (uint32_t n = 0; n < kPanels; ++n) {
      sums[p][n] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(tile.start + n * kYmmLanes));
    }
  }
  for (size_t r = 0; r < tile.run_count; ++r) {
    const TapRun& run = tile.runs[r];
    const int16_t* weights =
        static_cast<const int16_t*>(tile.weights) + size_t{run.weights} * kPanels * kYmmLanes * kDepth;
    const size_t end = run.input + size_t{run.steps} * kDepth;
#pragma GCC unroll 1
    for (size_t k = run.input; k < end; k += kDepth) {
      __m256i weight[kPanels];
#pragma GCC unroll 4
      for (uint32_t n = 0; n < kPanels; ++n) {
        weight[n] = _mm256_load_si256(reinterpret_cast<const __m256i*>(weights + n * kYmmLanes * kDepth));
      }
      weights += kPanels * kYmmLanes * kDepth;
#pragma GCC unroll 8
      for (uint32_t p = 0; p < kPixels; ++p) {
        int32_t values;
        std::memcpy(&values, inputs[p] + k, sizeof(values));
        const __m256i value = _mm256_set1_epi32(values);
#pragma GCC unroll 4
        for (uint32_t n = 0; n < kPanels; ++n) {
          sums[p][n] = _mm256_add_epi32(sums[p][n], _mm256_madd_epi16(value, weight[n]));
        }
      }
    }
  }
#pragma GCC unroll 8
  for (uint32_t p = 0; p < kPixels; ++p) {
#pragma GCC unroll 4
    for (uint32_t n = 0; n < kPanels; ++n) {
      _mm256_store_si256(reinterpret_cast<__m256i*>(tile.sums + p * tile.stride + n * kYmmLanes), sums[p][n]);
    }
  }
}

}  // namespace

const TileKernels& Avx2TileKernels() {
  static constexpr TileKernels kKernels = {
      sizeof(int16_t),
      kYmmLanes,
      kDepth,
      /*quad=*/kDepth,
      /*rows=*/1,
      /*width=*/2,
      /*by_output=*/false,
      /*wants_add_table=*/false,
      /*max_panels=*/2,
      /*max_blocks=*/4,
      /*max_pixels=*/{0, 8, 6},
      /*pads=*/false,
      /*begin=*/nullptr,
      {{},
       {nullptr, Multiply<1, 1>, Multiply<1, 2>, Multiply<1, 3>, Multiply<1, 4>, Multiply<1, 5>, Multiply<1, 6>,
        Multiply<1, 7>, Multiply<1, 8>},
       {nullptr, Multiply<2, 1>, Multiply<2, 2>, Multiply<2, 3>, Multiply<2, 4>, Multiply<2, 5>, Multiply<2, 6>}},
      /*end=*/nullptr,
      /*does_meanwhile=*/false,
      YmmScale<int16_t>,
      YmmAdd<int16_t>,
  };
  return kKernels;
}

}  // namespace lockstep
