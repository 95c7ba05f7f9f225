// Conversion of integer sums to int8 results: float32 multiplier, round half to even, clamp. Results equal those of
// ONNX Runtime's QLinearConv, QLinearAdd and QLinearGlobalAveragePool and of oneDNN bit for bit.
//
//     weighted layers, pools:  int8 = clamp(round_half_even(float32(sum) * multiplier) + zero_point)
//     addition:                int8 = clamp(round_half_even(fma(a, m_a, fma(b, m_b, offset)))) - 128, a and b as uint8
//
// Each float32 operation is rounded once.
#ifndef LOCKSTEP_LIB_INT8_REQUANTIZE_H_
#define LOCKSTEP_LIB_INT8_REQUANTIZE_H_

#include <cmath>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

inline constexpr float kInt8Min = -128.0f;
inline constexpr float kInt8Max = 127.0f;

// Converts an accumulator to the output's scale, before the zero point is added and the result is clamped: an integer
// in float32. The argument is a float, so that a non-integer bias can be included. nearbyint rounds half to even in the
// default rounding mode, which nothing in Lockstep changes.
inline float ScaleAndRound(float accumulator, float multiplier) { return std::nearbyint(accumulator * multiplier); }

// Clamps to [-128, 127]. `rounded` must not be NaN.
inline int8_t ClampToInt8(float rounded) {
  return static_cast<int8_t>(rounded < kInt8Min ? kInt8Min : rounded > kInt8Max ? kInt8Max : rounded);
}

// Converts an accumulator to int8. Adding the zero point, an integer of at most 8 bits, to an integer in float32 is
// exact for every value that is not clamped.
inline int8_t Requantize(int32_t accumulator, float multiplier, int32_t zero_point = 0) {
  return ClampToInt8(ScaleAndRound(static_cast<float>(accumulator), multiplier) + static_cast<float>(zero_point));
}

// Alternative by integers alone, as in gemmlowp and TFLite's reference code. The multiplier is fraction * 2^(shift -
// 31), with the fraction in [2^30, 2^31). The upper half of a product is rounded half up; then the shift to the right
// rounds half away from zero. Because of the two roundings, some values differ from Requantize by 1.
struct FixedPointMultiplier {
  int32_t fraction = 0;
  int shift = 0;
};
FixedPointMultiplier ToFixedPoint(float multiplier);  // `multiplier` must be positive and normal
int8_t RequantizeFixedPoint(int32_t accumulator, const FixedPointMultiplier& multiplier, int32_t zero_point = 0);

// Factors for the sum of two int8 tensors that have their own scales and zero points. The tensors are added as uint8,
// value + 128, because ONNX Runtime does so, and because `offset` then includes all three zero points.
struct AddFactors {
  float a = 1;  // s_a / s_out, the ratio of steps in float32
  float b = 1;
  float offset = 0;  // z_out - fma(a, z_a, b * z_b), zero points as uint8: value + 128
};

inline AddFactors MakeAddFactors(float a, float b, int32_t zero_a, int32_t zero_b, int32_t zero_out) {
  const float product = b * static_cast<float>(zero_b + 128);  // a separate variable, so that it is rounded before the
                                                               // addition
  return {a, b, static_cast<float>(zero_out + 128) - std::fma(a, static_cast<float>(zero_a + 128), product)};
}

// Returns the result of an addition before it is clamped to [0, 255]: an integer in float32.
inline float AddAndRound(int8_t a, int8_t b, const AddFactors& factors) {
  const float part = std::fma(static_cast<float>(b + 128), factors.b, factors.offset);
  return std::nearbyint(std::fma(static_cast<float>(a + 128), factors.a, part));
}

inline int8_t AddInt8(int8_t a, int8_t b, const AddFactors& factors) {
  return ClampToInt8(AddAndRound(a, b, factors) - 128.0f);
}

// Returns the step between two neighbouring integers of a scale (real value * scale = integer). ONNX calls the step the
// scale.
inline float Step(double scale) { return static_cast<float>(1 / scale); }

// Returns the multiplier of a layer whose input, weights and output have these scales: float32((s_in * s_w) / s_out),
// where s are the steps and each operation is rounded to float32. A reader that knows only these three floats (an ONNX
// file) thus computes the same multiplier. The five roundings keep it within 5.1 * 2^-24 (relative) of the exact
// output_scale / (input_scale * weight_scale). Returns FailedPreconditionError with the name of the layer if a step
// leaves the normal range of float32.
absl::StatusOr<float> RequantizeMultiplier(double input_scale, double weight_scale, double output_scale,
                                           absl::string_view layer);

// Return one factor of an addition, float32(s_in / s_out), and the multiplier of a pool over `pixels` values,
// float32(s_in / float32(s_out * pixels)). Errors as RequantizeMultiplier.
absl::StatusOr<float> AddFactor(double input_scale, double output_scale, absl::string_view layer);
absl::StatusOr<float> PoolMultiplier(double input_scale, double output_scale, uint32_t pixels, absl::string_view layer);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_REQUANTIZE_H_
