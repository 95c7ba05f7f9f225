// Scale and zero point of int8, computed from a range of real numbers.
//
//     int8 = clamp(round_half_even(real * scale) + zero_point)
//
// The real number 0 maps to `zero_point` exactly, so that padding and ReLU are exact.
#ifndef LOCKSTEP_LIB_INT8_AFFINE_PARAMS_H_
#define LOCKSTEP_LIB_INT8_AFFINE_PARAMS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Range of real numbers that int8 must represent. low <= 0 <= high; a symmetric range has -low == high.
struct Range {
  double low = 0;
  double high = 0;
};

struct AffineParams {
  double scale = 1;
  int32_t zero_point = 0;  // integer for the real number 0, in [-128, 127]
};

enum class QuantizationScheme {
  kSymmetric,  // [-c, c], with zero point 0
  kAffine,     // [low, high], with any zero point
};

// Number of int8 levels on each side of 0. Neighbouring levels are 1 / scale apart.
struct Levels {
  int negative = 0;
  int positive = 0;
};

// Returns the parameters for `range`:
// - Symmetric: [-c, c] maps to [-127, 127], so scale = 127 / c and the zero point is 0.
// - Affine: [low, high] maps to [-128, 127], so scale = 255 / (high - low) and zero point = -128 -
//   round_half_even(low * scale). Each end of the range lies within half a step of its level.
// If low == high == 0 (a dead tensor), c or high is taken as 1, so that values on other images do not become infinite.
// Returns FailedPreconditionError with the tensor's name if an end is NaN or infinite, if the range does not contain 0,
// or if a symmetric range has -low != high.
absl::StatusOr<AffineParams> MakeAffineParams(const Range& range, QuantizationScheme scheme, absl::string_view name);

// Returns the levels on each side of 0. Symmetric: 127 and 127; the runtime clamps at -128, one level more, but nothing
// here relies on that level. Affine: 128 + zero_point and 127 - zero_point.
Levels LevelsOf(const AffineParams& params, QuantizationScheme scheme);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_AFFINE_PARAMS_H_
