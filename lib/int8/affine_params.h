// From a range of real numbers to the scale and zero point of int8.
//
//     int8 = clamp(round_half_even(real * scale) + zero_point)
//
// so that 0 is exactly `zero_point`: padding and ReLU stay exact.
#ifndef LOCKSTEP_LIB_INT8_AFFINE_PARAMS_H_
#define LOCKSTEP_LIB_INT8_AFFINE_PARAMS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Real numbers that int8 is to cover. low <= 0 <= high; -low == high of a symmetric one.
struct Range {
  double low = 0;
  double high = 0;
};

struct AffineParams {
  double scale = 1;
  int32_t zero_point = 0;  // in [-128, 127]
};

// Levels on each side of 0 that int8 has, one step of 1 / scale apart.
struct Levels {
  int negative = 0;
  int positive = 0;
};

// Symmetric: [-c, c] becomes [-127, 127], so scale = 127 / c, zero point 0.
// Affine: [low, high] becomes [-128, 127], so scale = 255 / (high - low), zero point = -128 - round_half_even(low *
// scale): an end of the range lies within half a step of the level that it gets.
// Where low == high == 0 (a dead tensor) c, or high, is taken as 1, so that what appears on other images is not
// infinitely large.
// FailedPrecondition names the tensor: an end is NaN or infinite, or the range does not hold 0, or a symmetric one is
// not.
absl::StatusOr<AffineParams> MakeAffineParams(const Range& range, bool symmetric, absl::string_view name);

// Symmetric: 127 and 127. The runtime clamps at -128, one level more; nothing here counts on it.
// Affine: 128 + zero_point and 127 - zero_point.
Levels LevelsOf(const AffineParams& params, bool symmetric);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_AFFINE_PARAMS_H_
