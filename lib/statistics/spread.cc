#include "lib/statistics/spread.h"

#include <algorithm>

#include "lib/statistics/mean.h"

namespace lockstep {

std::optional<Spread> SpreadOf(const proto::Samples& samples) {
  const auto& values = samples.value();
  if (values.empty()) {
    return std::nullopt;
  }
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double mean = Mean(values);
  return Spread{std::clamp(mean, *low, *high), *low, *high, values.size() > 1};
}

Spread Exactly(double value) { return {value, value, value, false}; }

Spread operator*(double factor, const Spread& spread) {
  return {factor * spread.mean, factor * spread.low, factor * spread.high, spread.repeated};
}

Spread operator-(const Spread& a, const Spread& b) {
  return {a.mean - b.mean, a.low - b.high, a.high - b.low, a.repeated || b.repeated};
}

std::optional<Spread> Quotient(const Spread& a, const Spread& b) {
  if (b.low <= 0) {
    return std::nullopt;
  }
  // A negative numerator is largest over the largest denominator.
  return Spread{a.mean / b.mean, a.low / (a.low < 0 ? b.low : b.high), a.high / (a.high < 0 ? b.high : b.low),
                a.repeated || b.repeated};
}

}  // namespace lockstep
