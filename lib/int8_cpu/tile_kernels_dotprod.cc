// Arm's dot product extension: 4 outputs per vector, 4 values per step. sdot multiplies int8 by int8 and adds 4
// products to an int32 with wrap-around. Values are kept as int8 + 128; an exclusive or with 0x80 makes them int8
// again.
#define LOCKSTEP_TARGET gnu::target("arch=armv8.2-a+dotprod")

#include "lib/int8_cpu/neon_vector.h"
#include "lib/int8_cpu/pixel_rows.h"
#include "lib/int8_cpu/tile_kernels.h"
#include "lib/int8_cpu/vector_kernels.h"

#define DOTPROD_INLINE [[LOCKSTEP_TARGET, gnu::always_inline]] static

namespace lockstep {
namespace {

struct DotProd : NeonVector, PixelRows<uint8_t> {
  using Values = int8x16_t;  // values of four steps
  static constexpr uint32_t kDepth = 4, kSteps = 4, kParts = 1;
  static constexpr uint32_t kMaxPixels[] = {8, 8, 6, 5};  // 20 sums, 5 values and some weights fit into 32 registers

  DOTPROD_INLINE Values LoadSteps(const Value* inputs, size_t k) { return ToInt8(vld1q_u8(inputs + k)); }
  DOTPROD_INLINE Values LoadStep(const Value* inputs, size_t k) {
    uint32_t step;
    std::memcpy(&step, inputs + k, sizeof(step));
    return ToInt8(vreinterpretq_u8_u32(vdupq_n_u32(step)));
  }
  template <int kStep>
  DOTPROD_INLINE Int AddProducts(Int sums, Values values, int8x16_t weights) {
    return vdotq_laneq_s32(sums, weights, values, kStep);
  }
  DOTPROD_INLINE void LoadStart(const int32_t* start, Int* sums) { *sums = vld1q_s32(start); }
  DOTPROD_INLINE void StoreSums(const Int* sums, int32_t* target, size_t) { vst1q_s32(target, *sums); }

 private:
  DOTPROD_INLINE Values ToInt8(uint8x16_t values) { return vreinterpretq_s8_u8(veorq_u8(values, vdupq_n_u8(0x80))); }
};

}  // namespace

const TileKernels& DotProdTileKernels() {
  static constexpr TileKernels kKernels = VectorKernels<DotProd>({.max_blocks = 8, .multiplies_int8 = true});
  return kKernels;
}

}  // namespace lockstep
