// Arm's int8 matrix extension: 8 values per step of two pixels and two outputs. usmmla multiplies two rows of 8 uint8
// by two rows of 8 int8 and adds the four sums of products to int32 with wrap-around.
#include <arm_neon.h>

#include "lib/int8_cpu/neon_scale.h"
#include "lib/int8_cpu/tile_kernels.h"

namespace lockstep {
namespace {

constexpr uint32_t kDepth = 8;
constexpr size_t kWide = 2 * kDepth;  // values of one load: two steps
constexpr uint32_t kHalves = 2;       // parts of a panel, with 2 outputs each

// [pixel pair][panel][half]: first pixel's two outputs, then second pixel's.
template <uint32_t kPanels, uint32_t kPairs>
using Sums = int32x4_t[kPairs][kPanels][kHalves];

template <uint32_t kPanels, uint32_t kPairs>
[[gnu::target("arch=armv8.2-a+i8mm"), gnu::always_inline]] inline void MultiplyStep(const uint8x16_t (&values)[kPairs],
                                                                                    const int8_t* weights,
                                                                                    Sums<kPanels, kPairs>& sums) {
#pragma GCC unroll 4
  for (uint32_t n = 0; n < kPanels; ++n) {
#pragma GCC unroll 2
    for (uint32_t h = 0; h < kHalves; ++h) {
      const int8x16_t weight = vld1q_s8(weights + (n * kHalves + h) * kWide);
#pragma GCC unroll 4
      for (uint32_t p = 0; p < kPairs; ++p) {
        sums[p][n][h] = vusmmlaq_s32(sums[p][n][h], values[p], weight);
      }
    }
  }
}

// If the number of pixels is odd, the last one is multiplied twice.
template <uint32_t kPanels, uint32_t kPairs>
[[gnu::target("arch=armv8.2-a+i8mm")]] void Multiply(const Tile& tile) {
  Sums<kPanels, kPairs> sums;
  const uint8_t* inputs[kPairs][2];
#pragma GCC unroll 4
  for (uint32_t p = 0; p < kPairs; ++p) {
    const uint32_t second = 2 * p + 1;
    inputs[p][0] = static_cast<const uint8_t*>(tile.inputs[2 * p]);
    inputs[p][1] = static_cast<const uint8_t*>(tile.inputs[second < tile.pixels ? second : 2 * p]);
#pragma GCC unroll 4
    for (uint32_t n = 0; n < kPanels; ++n) {
      const int64x2_t start = vreinterpretq_s64_s32(vld1q_s32(tile.start + n * kNeonLanes));
      sums[p][n][0] = vreinterpretq_s32_s64(vzip1q_s64(start, start));
      sums[p][n][1] = vreinterpretq_s32_s64(vzip2q_s64(start, start));
    }
  }
  for (size_t r = 0; r < tile.run_count; ++r) {
    const TapRun& run = tile.runs[r];
    const int8_t* weights =
        static_cast<const int8_t*>(tile.weights) + size_t{run.weights} * kPanels * kNeonLanes * kDepth;
    const size_t end = run.input + size_t{run.steps} * kDepth;
    size_t k = run.input;
#pragma GCC unroll 1
    for (; k + kWide <= end; k += kWide) {
      uint8x16_t front[kPairs], back[kPairs];
#pragma GCC unroll 4
      for (uint32_t p = 0; p < kPairs; ++p) {
        const uint64x2_t first = vreinterpretq_u64_u8(vld1q_u8(inputs[p][0] + k));
        const uint64x2_t second = vreinterpretq_u64_u8(vld1q_u8(inputs[p][1] + k));
        front[p] = vreinterpretq_u8_u64(vzip1q_u64(first, second));
        back[p] = vreinterpretq_u8_u64(vzip2q_u64(first, second));
      }
      MultiplyStep<kPanels, kPairs>(front, weights, sums);
      MultiplyStep<kPanels, kPairs>(back, weights + kPanels * kNeonLanes * kDepth, sums);
      weights += kWide * kPanels * kNeonLanes;
    }
    if (k < end) {
      uint8x16_t values[kPairs];
#pragma GCC unroll 4
      for (uint32_t p = 0; p < kPairs; ++p) {
        values[p] = vcombine_u8(vld1_u8(inputs[p][0] + k), vld1_u8(inputs[p][1] + k));
      }
      MultiplyStep<kPanels, kPairs>(values, weights, sums);
    }
  }
#pragma GCC unroll 4
  for (uint32_t p = 0; p < kPairs; ++p) {
    int32_t* first = tile.sums + 2 * p * tile.stride;
#pragma GCC unroll 4
    for (uint32_t n = 0; n < kPanels; ++n) {
      const int64x2_t front = vreinterpretq_s64_s32(sums[p][n][0]), back = vreinterpretq_s64_s32(sums[p][n][1]);
      vst1q_s32(first + n * kNeonLanes, vreinterpretq_s32_s64(vzip1q_s64(front, back)));
      vst1q_s32(first + tile.stride + n * kNeonLanes, vreinterpretq_s32_s64(vzip2q_s64(front, back)));
    }
  }
}

}  // namespace

const TileKernels& I8mmTileKernels() {
  static constexpr TileKernels kKernels = {
      sizeof(uint8_t),
      kNeonLanes,
      kDepth,
      /*quad=*/kDepth,
      /*rows=*/2,
      /*width=*/4,
      /*by_output=*/false,
      /*wants_add_table=*/false,
      /*max_panels=*/4,
      /*max_blocks=*/8,
      /*max_pixels=*/{0, 8, 8, 6, 6},  // 24 sums, 3 pairs of values and some weights fit into 32 registers
      /*pads=*/false,
      /*begin=*/nullptr,
      {{},
       {nullptr, Multiply<1, 1>, Multiply<1, 1>, Multiply<1, 2>, Multiply<1, 2>, Multiply<1, 3>, Multiply<1, 3>,
        Multiply<1, 4>, Multiply<1, 4>},
       {nullptr, Multiply<2, 1>, Multiply<2, 1>, Multiply<2, 2>, Multiply<2, 2>, Multiply<2, 3>, Multiply<2, 3>,
        Multiply<2, 4>, Multiply<2, 4>},
       {nullptr, Multiply<3, 1>, Multiply<3, 1>, Multiply<3, 2>, Multiply<3, 2>, Multiply<3, 3>, Multiply<3, 3>},
       {nullptr, Multiply<4, 1>, Multiply<4, 1>, Multiply<4, 2>, Multiply<4, 2>, Multiply<4, 3>, Multiply<4, 3>}},
      /*end=*/nullptr,
      /*does_meanwhile=*/false,
      NeonScale,
      NeonAdd,
  };
  return kKernels;
}

}  // namespace lockstep
