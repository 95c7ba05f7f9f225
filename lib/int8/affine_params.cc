#include "lib/int8/affine_params.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace lockstep {

absl::StatusOr<AffineParams> MakeAffineParams(const Range& range, QuantizationScheme scheme, absl::string_view name) {
  const bool symmetric = scheme == QuantizationScheme::kSymmetric;
  if (!std::isfinite(range.low) || !std::isfinite(range.high)) {
    return absl::FailedPreconditionError(
        absl::StrCat(name, ": its range is [", range.low, ", ", range.high,
                     "]; int8 needs finite values. Did training diverge? Train again with a smaller learning rate"));
  }
  if (range.low > 0 || range.high < 0 || (symmetric && range.low != -range.high)) {
    return absl::FailedPreconditionError(absl::StrCat(name, ": its range is [", range.low, ", ", range.high, "]; ",
                                                      symmetric ? "a symmetric range is [-c, c]" : "it must hold 0"));
  }
  if (symmetric) {
    return AffineParams{127 / (range.high > 0 ? range.high : 1.0), 0};
  }
  const double width = range.high - range.low;
  const double scale = 255 / (width > 0 ? width : 1.0);
  const double zero_point = -128 - std::nearbyint(range.low * scale);
  return AffineParams{scale, static_cast<int32_t>(std::clamp(zero_point, -128.0, 127.0))};
}

Levels LevelsOf(const AffineParams& params, QuantizationScheme scheme) {
  return scheme == QuantizationScheme::kSymmetric ? Levels{127, 127}
                                                  : Levels{128 + params.zero_point, 127 - params.zero_point};
}

}  // namespace lockstep
