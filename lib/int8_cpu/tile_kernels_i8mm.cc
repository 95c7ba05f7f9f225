// Arm's int8 matrix extension: 8 values per step of two pixels and two outputs. usmmla multiplies two rows of 8 uint8
// by two rows of 8 int8 and adds the four sums of products to int32 with wrap-around.
#define LOCKSTEP_TARGET gnu::target("arch=armv8.2-a+i8mm")

#include "lib/int8_cpu/neon_vector.h"
#include "lib/int8_cpu/tile_kernels.h"
#include "lib/int8_cpu/vector_kernels.h"

#define I8MM_INLINE [[LOCKSTEP_TARGET, gnu::always_inline]] static

namespace lockstep {
namespace {

// A vector holds the first pixel's sums of two outputs, then the second pixel's.
struct I8mm : NeonVector {
  using Values = uint8x16x2_t;  // values of two steps
  static constexpr uint32_t kDepth = 8, kSteps = 2, kParts = 2, kRowPixels = 2;
  static constexpr uint32_t kMaxPixels[] = {8, 8, 6, 6};  // 24 sums, 3 pairs of values and some weights fit into 32
                                                          // registers
  struct Inputs {
    const uint8_t *first, *second;
  };

  // If the number of pixels is odd, the last one is multiplied twice.
  I8MM_INLINE Inputs RowInputs(const Tile& tile, uint32_t row) {
    const uint32_t first = 2 * row, second = first + 1 < tile.pixels ? first + 1 : first;
    return {static_cast<const uint8_t*>(tile.inputs[first]), static_cast<const uint8_t*>(tile.inputs[second])};
  }
  I8MM_INLINE Values LoadSteps(const Inputs& inputs, size_t k) {
    const uint64x2_t first = vreinterpretq_u64_u8(vld1q_u8(inputs.first + k));
    const uint64x2_t second = vreinterpretq_u64_u8(vld1q_u8(inputs.second + k));
    return {{vreinterpretq_u8_u64(vzip1q_u64(first, second)), vreinterpretq_u8_u64(vzip2q_u64(first, second))}};
  }
  I8MM_INLINE Values LoadStep(const Inputs& inputs, size_t k) {
    const uint8x16_t step = vcombine_u8(vld1_u8(inputs.first + k), vld1_u8(inputs.second + k));
    return {{step, step}};
  }
  template <int kStep>
  I8MM_INLINE Int AddProducts(Int sums, const Values& values, int8x16_t weights) {
    return vusmmlaq_s32(sums, values.val[kStep], weights);
  }
  I8MM_INLINE void LoadStart(const int32_t* start, Int* sums) {
    const int64x2_t pairs = vreinterpretq_s64_s32(vld1q_s32(start));
    sums[0] = vreinterpretq_s32_s64(vzip1q_s64(pairs, pairs));
    sums[1] = vreinterpretq_s32_s64(vzip2q_s64(pairs, pairs));
  }
  I8MM_INLINE void StoreSums(const Int* sums, int32_t* target, size_t stride) {
    const int64x2_t front = vreinterpretq_s64_s32(sums[0]), back = vreinterpretq_s64_s32(sums[1]);
    vst1q_s32(target, vreinterpretq_s32_s64(vzip1q_s64(front, back)));
    vst1q_s32(target + stride, vreinterpretq_s32_s64(vzip2q_s64(front, back)));
  }
};

}  // namespace

const TileKernels& I8mmTileKernels() {
  static constexpr TileKernels kKernels = VectorKernels<I8mm>({.max_blocks = 8});
  return kKernels;
}

}  // namespace lockstep
