// Arm's dot product extension: 4 outputs per vector, 4 values per step. sdot multiplies int8 by int8 and adds 4
// products to an int32 with wrap-around. Values are kept as int8 + 128; an exclusive or with 0x80 makes them int8
// again.
#include <arm_neon.h>

#include "lib/int8_cpu/neon_scale.h"
#include "lib/int8_cpu/tile_kernels.h"

namespace lockstep {
namespace {

constexpr uint32_t kDepth = 4;
constexpr size_t kWide = 4 * kDepth;  // values of one load: four steps

template <uint32_t kPanels, uint32_t kPixels>
using Sums = int32x4_t[kPixels][kPanels];

// Multiplies one of the four steps whose values were loaded.
template <int kStep, uint32_t kPanels, uint32_t kPixels>
[[gnu::target("arch=armv8.2-a+dotprod"), gnu::always_inline]] inline void MultiplyStep(
    const int8x16_t (&values)[kPixels], const int8_t* weights, Sums<kPanels, kPixels>& sums) {
#pragma GCC unroll 4
  for (uint32_t n = 0; n < kPanels; ++n) {
    const int8x16_t weight = vld1q_s8(weights + (kStep * kPanels + n) * kNeonLanes * kDepth);
#pragma GCC unroll 8
    for (uint32_t p = 0; p < kPixels; ++p) {
      sums[p][n] = vdotq_laneq_s32(sums[p][n], weight, values[p], kStep);
    }
  }
}

template <uint32_t kPanels, uint32_t kPixels>
[[gnu::target("arch=armv8.2-a+dotprod")]] void Multiply(const Tile& tile) {
  Sums<kPanels, kPixels> sums;
  const uint8_t* inputs[kPixels];
#pragma GCC unroll 8
  for (uint32_t p = 0; p < kPixels; ++p) {
    inputs[p] = static_cast<const uint8_t*>(tile.inputs[p]);
#pragma GCC unroll 4
    for (uint32_t n = 0; n < kPanels; ++n) {
      sums[p][n] = vld1q_s32(tile.start + n * kNeonLanes);
    }
  }
  const uint8x16_t sign = vdupq_n_u8(0x80);
  for (size_t r = 0; r < tile.run_count; ++r) {
    const TapRun& run = tile.runs[r];
    const int8_t* weights =
        static_cast<const int8_t*>(tile.weights) + size_t{run.weights} * kPanels * kNeonLanes * kDepth;
    const size_t end = run.input + size_t{run.steps} * kDepth;
    size_t k = run.input;
#pragma GCC unroll 1
    for (; k + kWide <= end; k += kWide) {
      int8x16_t values[kPixels];
#pragma GCC unroll 8
      for (uint32_t p = 0; p < kPixels; ++p) {
        values[p] = vreinterpretq_s8_u8(veorq_u8(vld1q_u8(inputs[p] + k), sign));
      }
      MultiplyStep<0, kPanels, kPixels>(values, weights, sums);
      MultiplyStep<1, kPanels, kPixels>(values, weights, sums);
      MultiplyStep<2, kPanels, kPixels>(values, weights, sums);
      MultiplyStep<3, kPanels, kPixels>(values, weights, sums);
      weights += kWide * kPanels * kNeonLanes;
    }
#pragma GCC unroll 1
    for (; k < end; k += kDepth) {
      int8x16_t values[kPixels];
#pragma GCC unroll 8
      for (uint32_t p = 0; p < kPixels; ++p) {
        uint32_t step;
        std::memcpy(&step, inputs[p] + k, sizeof(step));
        values[p] = vreinterpretq_s8_u8(veorq_u8(vreinterpretq_u8_u32(vdupq_n_u32(step)), sign));
      }
      MultiplyStep<0, kPanels, kPixels>(values, weights, sums);
      weights += kDepth * kPanels * kNeonLanes;
    }
  }
#pragma GCC unroll 8
  for (uint32_t p = 0; p < kPixels; ++p) {
#pragma GCC unroll 4
    for (uint32_t n = 0; n < kPanels; ++n) {
      vst1q_s32(tile.sums + p * tile.stride + n * kNeonLanes, sums[p][n]);
    }
  }
}

}  // namespace

const TileKernels& DotProdTileKernels() {
  static constexpr TileKernels kKernels = {
      sizeof(uint8_t),
      kNeonLanes,
      kDepth,
      /*quad=*/kDepth,
      /*rows=*/1,
      /*width=*/4,
      /*by_output=*/false,
      /*wants_add_table=*/false,
      /*max_panels=*/4,
      /*max_blocks=*/8,
      /*max_pixels=*/{0, 8, 8, 6, 5},  // 20 sums, 5 values and some weights fit into 32 registers
      /*pads=*/false,
      /*begin=*/nullptr,
      {{},
       {nullptr, Multiply<1, 1>, Multiply<1, 2>, Multiply<1, 3>, Multiply<1, 4>, Multiply<1, 5>, Multiply<1, 6>,
        Multiply<1, 7>, Multiply<1, 8>},
       {nullptr, Multiply<2, 1>, Multiply<2, 2>, Multiply<2, 3>, Multiply<2, 4>, Multiply<2, 5>, Multiply<2, 6>,
        Multiply<2, 7>, Multiply<2, 8>},
       {nullptr, Multiply<3, 1>, Multiply<3, 2>, Multiply<3, 3>, Multiply<3, 4>, Multiply<3, 5>, Multiply<3, 6>},
       {nullptr, Multiply<4, 1>, Multiply<4, 2>, Multiply<4, 3>, Multiply<4, 4>, Multiply<4, 5>}},
      /*end=*/nullptr,
      /*does_meanwhile=*/false,
      NeonScale,
      NeonAdd,
      /*multiplies_int8=*/true,
  };
  return kKernels;
}

}  // namespace lockstep
