// NeonVector: the 128-bit vectors of 64-bit Arm, as the kernels of its extensions use them. Textual header, like
// tile_multiply.h. Every such CPU has these instructions.
#ifndef LOCKSTEP_LIB_INT8_CPU_NEON_VECTOR_H_
#define LOCKSTEP_LIB_INT8_CPU_NEON_VECTOR_H_

#include <arm_neon.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#define NEON_INLINE [[LOCKSTEP_TARGET, gnu::always_inline]] static

namespace lockstep {
namespace {

struct NeonVector {
  using Value = uint8_t;
  using Weight = int8_t;
  using Int = int32x4_t;
  using Float = float32x4_t;
  static constexpr uint32_t kLanes = 4, kStored = 2;

  // Loads and stores of MultiplyTile().
  NEON_INLINE int8x16_t LoadWeights(const Weight* weights) { return vld1q_s8(weights); }

  // Loads, stores and arithmetic of Scale() and Add().
  NEON_INLINE Int LoadSums(const int32_t* sums) { return vld1q_s32(sums); }
  NEON_INLINE Float LoadFloats(const float* source, size_t count) {
    float loaded[kLanes] = {};
    std::copy_n(source, count, loaded);
    return vld1q_f32(loaded);
  }
  NEON_INLINE void LoadValues(const Value* source, size_t count, Float (&loaded)[kStored]) {
    Value all[kStored * kLanes] = {};
    if (count < kStored * kLanes) {
      std::memcpy(all, source, count);
      source = all;
    }
    const uint16x8_t wide = vmovl_u8(vld1_u8(source));
    loaded[0] = vcvtq_f32_u32(vmovl_u16(vget_low_u16(wide)));
    loaded[1] = vcvtq_f32_u32(vmovl_u16(vget_high_u16(wide)));
  }
  NEON_INLINE void StoreValues(const Int (&values)[kStored], Value* target, size_t count) {
    const uint8x8_t bytes = vqmovn_u16(vcombine_u16(vqmovun_s32(values[0]), vqmovun_s32(values[1])));
    if (count >= kStored * kLanes) {
      vst1_u8(target, bytes);
    } else {
      Value all[kStored * kLanes];
      vst1_u8(all, bytes);
      std::memcpy(target, all, count);
    }
  }
  NEON_INLINE Float Broadcast(float value) { return vdupq_n_f32(value); }
  NEON_INLINE Int Broadcast(int32_t value) { return vdupq_n_s32(value); }
  NEON_INLINE Float Convert(Int value) { return vcvtq_f32_s32(value); }
  NEON_INLINE Int RoundToInt(Float value) { return vcvtnq_s32_f32(value); }  // half to even
  NEON_INLINE Float Min(Float a, Float b) { return vminq_f32(a, b); }
  NEON_INLINE Int Max(Int a, Int b) { return vmaxq_s32(a, b); }
  NEON_INLINE Float Add(Float a, Float b) { return vaddq_f32(a, b); }
  NEON_INLINE Int Add(Int a, Int b) { return vaddq_s32(a, b); }
  NEON_INLINE Float Multiply(Float a, Float b) { return vmulq_f32(a, b); }
  NEON_INLINE Float MultiplyAdd(Float a, Float b, Float c) { return vfmaq_f32(c, a, b); }
};

}  // namespace
}  // namespace lockstep

#undef NEON_INLINE

#endif  // LOCKSTEP_LIB_INT8_CPU_NEON_VECTOR_H_
