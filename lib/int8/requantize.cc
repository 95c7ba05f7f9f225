#include "lib/int8/requantize.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

absl::StatusOr<float> Normal(float part, float result, absl::string_view layer, const std::string& scales) {
  if (!std::isnormal(part) || !std::isnormal(result)) {
    return absl::FailedPreconditionError(
        absl::StrCat(layer, ": its scales (", scales, ") give a requantization multiplier of ", result,
                     ", which float32 cannot hold; its weights or activations are out of any useful range"));
  }
  return result;
}

constexpr int64_t kInt32Least = std::numeric_limits<int32_t>::min();
constexpr int64_t kInt32Most = std::numeric_limits<int32_t>::max();

// Returns value / 2^shift, rounded half away from zero.
int64_t ShiftRight(int64_t value, int shift) {
  const int64_t half = shift == 0 ? 0 : int64_t{1} << (shift - 1);
  return value >= 0 ? (value + half) >> shift : -((-value + half) >> shift);
}

}  // namespace

FixedPointMultiplier ToFixedPoint(float multiplier) {
  FixedPointMultiplier result;
  // The fraction is in [0.5, 1) and has 24 significant bits, so the product below is exact.
  const double fraction = std::frexp(multiplier, &result.shift);
  result.fraction = static_cast<int32_t>(fraction * 2147483648.0);
  return result;
}

int8_t RequantizeFixedPoint(int32_t accumulator, const FixedPointMultiplier& multiplier, int32_t zero_point) {
  const int left = std::clamp(multiplier.shift, 0, 31), right = std::clamp(-multiplier.shift, 0, 62);
  const int64_t shifted = std::clamp(int64_t{accumulator} * (int64_t{1} << left), kInt32Least, kInt32Most);
  const int64_t product = shifted * multiplier.fraction;
  const int64_t high = (product + (int64_t{1} << 30)) >> 31;
  return static_cast<int8_t>(std::clamp<int64_t>(ShiftRight(high, right) + zero_point, -128, 127));
}

absl::StatusOr<float> RequantizeMultiplier(double input_scale, double weight_scale, double output_scale,
                                           absl::string_view layer) {
  const float product = Step(input_scale) * Step(weight_scale);  // rounded to float32 before the division
  const float multiplier = product / Step(output_scale);
  return Normal(product, multiplier, layer,
                absl::StrCat("input ", input_scale, ", weight ", weight_scale, ", output ", output_scale));
}

absl::StatusOr<float> AddFactor(double input_scale, double output_scale, absl::string_view layer) {
  return Normal(Step(input_scale), Step(input_scale) / Step(output_scale), layer,
                absl::StrCat("input ", input_scale, ", output ", output_scale));
}

absl::StatusOr<float> PoolMultiplier(double input_scale, double output_scale, uint32_t pixels,
                                     absl::string_view layer) {
  const float divisor = Step(output_scale) * static_cast<float>(pixels);
  return Normal(divisor, Step(input_scale) / divisor, layer,
                absl::StrCat("input ", input_scale, ", output ", output_scale));
}

}  // namespace lockstep
