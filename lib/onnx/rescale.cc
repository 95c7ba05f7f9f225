#include "lib/onnx/rescale.h"

#include <cmath>

#include "lib/int8/requantize.h"

namespace lockstep {
namespace {

// Steps that are tried on each side of 1. Values that differ with step 1 lie within few rounding errors of the edge
// between two integers.
constexpr int kTriedSteps = 8;

constexpr int kAll = 256;  // values of int8

// Returns the number of values that the identity computes differently; 256 if its multiplier is not a normal number.
int CountDifferent(float step, const TensorParams& input, const TensorParams& output) {
  const float product = input.step * step;  // a separate variable, so that it is rounded before the division
  const float multiplier = product / output.step;
  int different = 0;
  for (int value = -128; value <= 127; ++value) {
    if (!std::isnormal(multiplier) || Requantize(value - input.zero_point, multiplier, output.zero_point) !=
                                          RescaleReference(static_cast<int8_t>(value), input, output)) {
      ++different;
    }
  }
  return different;
}

}  // namespace

int8_t RescaleReference(int8_t value, const TensorParams& input, const TensorParams& output) {
  const float real = static_cast<float>(value - input.zero_point) * input.step;
  return ClampToInt8(std::nearbyint(real / output.step) + static_cast<float>(output.zero_point));
}

std::optional<float> RescaleStep(const TensorParams& input, const TensorParams& output) {
  float above = 1, below = 1, best = 1;
  int fewest = kAll;
  for (int i = 0; i <= kTriedSteps && fewest > 0; ++i) {
    for (const float step : {above, below}) {
      if (const int different = CountDifferent(step, input, output); different < fewest) {
        fewest = different;
        best = step;
      }
    }
    above = std::nextafter(above, 2.0f);
    below = std::nextafter(below, 0.0f);
  }
  return fewest == kAll ? std::nullopt : std::optional<float>(best);
}

}  // namespace lockstep
