// Scaling of eight sums to eight values, and addition of values, for all instruction sets of 64-bit Arm. Every such CPU
// has these instructions.
#ifndef LOCKSTEP_LIB_INT8_CPU_NEON_SCALE_H_
#define LOCKSTEP_LIB_INT8_CPU_NEON_SCALE_H_

#include <arm_neon.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lib/int8_cpu/tile_kernels.h"

namespace lockstep {

inline constexpr uint32_t kNeonLanes = 4;

// Returns eight int32 values, clamped to [0, 255].
inline uint8x8_t NeonPack(int32x4_t front, int32x4_t back) {
  return vqmovn_u16(vcombine_u16(vqmovun_s32(front), vqmovun_s32(back)));
}

// Stores the first `count` of eight values.
inline void NeonStore(uint8x8_t values, uint8_t* target, size_t count) {
  if (count >= 2 * kNeonLanes) {
    vst1_u8(target, values);
  } else {
    uint8_t bytes[2 * kNeonLanes];
    vst1_u8(bytes, values);
    std::memcpy(target, bytes, count);
  }
}

struct NeonScaling {
  float32x4_t multiplier, bias, high;
  int32x4_t zero, lowest;
};

// Loads the factors of the outputs from `at` on; those beyond the last output are 0.
inline NeonScaling NeonLoadScaling(const Scaling& scaling, size_t at, size_t outputs) {
  float multiplier[kNeonLanes] = {}, bias[kNeonLanes] = {};
  const size_t count = outputs <= at ? 0 : std::min<size_t>(outputs - at, kNeonLanes);
  std::copy_n(scaling.multiplier + at, count, multiplier);
  if (scaling.bias != nullptr) {
    std::copy_n(scaling.bias + at, count, bias);
  }
  return {vld1q_f32(multiplier), vld1q_f32(bias), vdupq_n_f32(scaling.high), vdupq_n_s32(scaling.zero),
          vdupq_n_s32(scaling.lowest)};
}

inline int32x4_t NeonScaleLanes(const NeonScaling& scaling, const ScaleTask& task, const int32_t* sums) {
  int32x4_t sum = vld1q_s32(sums);
  for (size_t i = 0; i < task.window; ++i) {
    const int32_t* pixel = sums + i * task.stride;
    sum = vmaxq_s32(sum, vld1q_s32(pixel));
    if (task.pair != 0) {
      sum = vmaxq_s32(sum, vld1q_s32(pixel + task.pair));
    }
  }
  const float32x4_t real = vmulq_f32(vaddq_f32(vcvtq_f32_s32(sum), scaling.bias), scaling.multiplier);
  const int32x4_t value = vcvtnq_s32_f32(vminq_f32(real, scaling.high));  // half to even
  return vmaxq_s32(vaddq_s32(value, scaling.zero), scaling.lowest);
}

inline void NeonScale(const ScaleTask& task) {
  for (size_t o = 0; o < task.outputs; o += 2 * kNeonLanes) {
    const NeonScaling front = NeonLoadScaling(task.scaling, o, task.outputs);
    const NeonScaling back = NeonLoadScaling(task.scaling, o + kNeonLanes, task.outputs);
    for (size_t p = 0; p < task.pixels; ++p) {
      const int32_t* sums = task.sums + p * task.window * task.stride + o;
      NeonStore(NeonPack(NeonScaleLanes(front, task, sums), NeonScaleLanes(back, task, sums + kNeonLanes)),
                static_cast<uint8_t*>(task.targets[p]) + o, task.outputs - o);
    }
  }
}

struct NeonAddFactors {
  float32x4_t a, b, offset, high;
  int32x4_t lowest;
};

inline int32x4_t NeonAddLanes(const NeonAddFactors& factors, uint16x4_t a, uint16x4_t b) {
  const float32x4_t part = vfmaq_f32(factors.offset, vcvtq_f32_u32(vmovl_u16(b)), factors.b);
  const float32x4_t real = vfmaq_f32(part, vcvtq_f32_u32(vmovl_u16(a)), factors.a);
  return vmaxq_s32(vcvtnq_s32_f32(vminq_f32(real, factors.high)), factors.lowest);
}

inline void NeonAdd(const AddTask& task, const void* a, const void* b, void* sum, size_t count) {
  constexpr size_t kStep = 2 * kNeonLanes;
  const NeonAddFactors factors = {vdupq_n_f32(task.factors.a), vdupq_n_f32(task.factors.b),
                                  vdupq_n_f32(task.factors.offset), vdupq_n_f32(255.0f), vdupq_n_s32(task.lowest)};
  const auto* from_a = static_cast<const uint8_t*>(a);
  const auto* from_b = static_cast<const uint8_t*>(b);
  auto* to = static_cast<uint8_t*>(sum);
  for (size_t i = 0; i < count; i += kStep) {
    uint8_t last_a[kStep] = {}, last_b[kStep] = {};
    const bool is_whole = count - i >= kStep;
    if (!is_whole) {
      std::memcpy(last_a, from_a + i, count - i);
      std::memcpy(last_b, from_b + i, count - i);
    }
    const uint16x8_t wide_a = vmovl_u8(vld1_u8(is_whole ? from_a + i : last_a));
    const uint16x8_t wide_b = vmovl_u8(vld1_u8(is_whole ? from_b + i : last_b));
    NeonStore(NeonPack(NeonAddLanes(factors, vget_low_u16(wide_a), vget_low_u16(wide_b)),
                       NeonAddLanes(factors, vget_high_u16(wide_a), vget_high_u16(wide_b))),
              to + i, count - i);
  }
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_NEON_SCALE_H_
