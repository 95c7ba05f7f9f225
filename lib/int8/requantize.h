// How int8 results come from sums of integers: float32 multiplier, round half to even, clamp. This is what ONNX Runtime's
// QLinearConv, QLinearAdd and QLinearGlobalAveragePool and oneDNN compute, bit for bit.
//
//     weighted layers, pools:  int8 = clamp(round_half_even(float32(sum) * multiplier) + zero_point)
//     addition:                int8 = clamp(round_half_even(fma(a, m_a, fma(b, m_b, offset)))) - 128, a and b as uint8
//
// Each operation on float32 is rounded once.
#ifndef LOCKSTEP_LIB_INT8_REQUANTIZE_H_
#define LOCKSTEP_LIB_INT8_REQUANTIZE_H_

#include <cmath>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

inline constexpr float kInt8Min = -128.0f;
inline constexpr float kInt8Max = 127.0f;

// An accumulator on the output's scale, before the zero point is added and it is clamped: an integer in float32. The
// float overload takes an accumulator to which a bias was added that is not an integer. nearbyint rounds half to even in
// the default rounding mode, which nothing in Lockstep changes.
inline float ScaleAndRound(float accumulator, float multiplier) { return std::nearbyint(accumulator * multiplier); }

// `rounded` is no NaN.
inline int8_t ClampToInt8(float rounded) {
  return static_cast<int8_t>(rounded < kInt8Min ? kInt8Min : rounded > kInt8Max ? kInt8Max : rounded);
}

// Adding the zero point, an integer of at most 8 bits, to an integer in float32 is exact where it matters: what is so
// large that it is not is clamped either way.
inline int8_t Requantize(int32_t accumulator, float multiplier, int32_t zero_point = 0) {
  return ClampToInt8(ScaleAndRound(static_cast<float>(accumulator), multiplier) + static_cast<float>(zero_point));
}

// The other way: integers alone, as gemmlowp and TFLite's reference have it. The multiplier is fraction * 2^(shift - 31),
// the fraction in [2^30, 2^31); a product's upper half is rounded half up, then the shift to the right half away from zero.
// Two roundings, so that some values differ from Requantize by 1.
struct FixedPointMultiplier {
  int32_t fraction = 0;
  int shift = 0;
};
FixedPointMultiplier ToFixedPoint(float multiplier);  // positive and normal
int8_t RequantizeFixedPoint(int32_t accumulator, const FixedPointMultiplier& multiplier, int32_t zero_point = 0);

// The sum of two int8 tensors with scales and zero points of their own. They are added as uint8, value + 128, because
// ONNX Runtime does so, and because `offset` then takes in all three zero points.
struct AddFactors {
  float a = 1;  // s_a / s_out, the steps' ratio in float32
  float b = 1;
  float offset = 0;  // z_out - fma(a, z_a, b * z_b), zero points as uint8: value + 128
};

inline AddFactors MakeAddFactors(float a, float b, int32_t zero_a, int32_t zero_b, int32_t zero_out) {
  const float product = b * static_cast<float>(zero_b + 128);  // a variable of its own: rounded before it is added
  return {a, b, static_cast<float>(zero_out + 128) - std::fma(a, static_cast<float>(zero_a + 128), product)};
}

// An addition's result before it is clamped to [0, 255]: an integer in float32.
inline float AddAndRound(int8_t a, int8_t b, const AddFactors& factors) {
  const float part = std::fma(static_cast<float>(b + 128), factors.b, factors.offset);
  return std::nearbyint(std::fma(static_cast<float>(a + 128), factors.a, part));
}

inline int8_t AddInt8(int8_t a, int8_t b, const AddFactors& factors) {
  return ClampToInt8(AddAndRound(a, b, factors) - 128.0f);
}

// The step between two neighbouring integers of a scale (real value * scale = integer): what ONNX calls the scale.
inline float Step(double scale) { return static_cast<float>(1 / scale); }

// The multiplier of a layer whose input, weights and output have these scales: float32((s_in * s_w) / s_out) of their
// steps, each operation rounded to float32, so that a reader who knows only these three floats (an ONNX file) computes
// the same one. Five roundings, so within 5.1 * 2^-24 (relative) of the exact output_scale / (input_scale *
// weight_scale). FailedPrecondition names the layer when a step leaves the normal range of float32.
absl::StatusOr<float> RequantizeMultiplier(double input_scale, double weight_scale, double output_scale,
                                           absl::string_view layer);

// One of an addition's factors, float32(s_in / s_out); a pool's multiplier over `pixels` values is
// float32(s_in / float32(s_out * pixels)). FailedPrecondition as above.
absl::StatusOr<float> AddFactor(double input_scale, double output_scale, absl::string_view layer);
absl::StatusOr<float> PoolMultiplier(double input_scale, double output_scale, uint32_t pixels, absl::string_view layer);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_REQUANTIZE_H_
