// From a 32-bit accumulator back to int8: float32 multiplier, round half to even, clamp.
//
//     int8 = clamp(round_half_even(float32(accumulator) * multiplier), -128, 127)
//
// This is what ONNX Runtime's QLinearConv and oneDNN compute (both operations in float32, each rounded once).
#ifndef LOCKSTEP_LIB_INT8_REQUANTIZE_H_
#define LOCKSTEP_LIB_INT8_REQUANTIZE_H_

#include <cmath>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

inline constexpr float kInt8Min = -128.0f;
inline constexpr float kInt8Max = 127.0f;

// An accumulator on the output's scale, before it is clamped: an integer in float32. The float overload takes an
// accumulator to which a bias was added that is not an integer. nearbyint rounds half to even in the default rounding
// mode, which nothing in Lockstep changes.
inline float ScaleAndRound(float accumulator, float multiplier) { return std::nearbyint(accumulator * multiplier); }

// `rounded` is no NaN.
inline int8_t ClampToInt8(float rounded) {
  return static_cast<int8_t>(rounded < kInt8Min ? kInt8Min : rounded > kInt8Max ? kInt8Max : rounded);
}

inline int8_t Requantize(int32_t accumulator, float multiplier) {
  return ClampToInt8(ScaleAndRound(static_cast<float>(accumulator), multiplier));
}

// The multiplier of a layer whose input, weights and output have these scales (real value * scale = integer):
// float32((s_in * s_w) / s_out) of their float32 reciprocals, each operation rounded to float32, so that a reader who
// knows only these three floats (an ONNX file) computes the same one. Five roundings, so within 5.1 * 2^-24 (relative)
// of the exact output_scale / (input_scale * weight_scale). FailedPrecondition names the layer when a step leaves the
// normal range of float32.
absl::StatusOr<float> RequantizeMultiplier(double input_scale, double weight_scale, double output_scale,
                                           absl::string_view layer);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_REQUANTIZE_H_
