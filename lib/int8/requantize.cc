#include "lib/int8/requantize.h"

#include "absl/strings/str_cat.h"

namespace lockstep {

absl::StatusOr<float> RequantizeMultiplier(double input_scale, double weight_scale, double output_scale,
                                           absl::string_view layer) {
  const float s_in = static_cast<float>(1 / input_scale);
  const float s_w = static_cast<float>(1 / weight_scale);
  const float s_out = static_cast<float>(1 / output_scale);
  const float product = s_in * s_w;  // a variable of its own: rounded to float32 before the division
  const float multiplier = product / s_out;
  if (!std::isnormal(product) || !std::isnormal(multiplier)) {
    return absl::FailedPreconditionError(
        absl::StrCat(layer, ": its scales (input ", input_scale, ", weight ", weight_scale, ", output ", output_scale,
                     ") give a requantization multiplier of ", multiplier,
                     ", which float32 cannot hold; its weights or activations are out of any useful range"));
  }
  return multiplier;
}

}  // namespace lockstep
