#include "lib/scaling/karp_flatt.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "lib/scaling/scaling.h"
#include "lib/statistics/mean.h"

namespace lockstep {
namespace {

bool AreTimes(const std::vector<double>& seconds) {
  return !seconds.empty() &&
         std::all_of(seconds.begin(), seconds.end(), [](double s) { return std::isfinite(s) && s > 0; });
}

// Returns the squared standard error of the mean of the times' logs. There must be at least two times.
double SquaredStandardError(const std::vector<double>& seconds) {
  std::vector<double> logs;
  logs.reserve(seconds.size());
  for (const double s : seconds) {
    logs.push_back(std::log(s));
  }
  const double mean = Mean(logs), count = static_cast<double>(logs.size());
  double sum = 0;
  for (const double log : logs) {
    sum += (log - mean) * (log - mean);
  }
  return sum / (count - 1) / count;
}

}  // namespace

absl::StatusOr<SerialFraction> KarpFlattFraction(uint32_t ranks, const std::vector<double>& base_seconds,
                                                 const std::vector<double>& seconds, double confidence) {
  if (ranks < 2 || !AreTimes(base_seconds) || !AreTimes(seconds) || !(confidence > 0 && confidence < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected 2 or more ranks, times above 0 on both sides and a confidence between 0 and 1, found ",
                     ranks, " ranks, ", base_seconds.size(), " and ", seconds.size(), " times and ", confidence));
  }
  const double speedup = Mean(base_seconds) / Mean(seconds);
  SerialFraction fraction{KarpFlatt(ranks, speedup), std::nullopt};
  if (base_seconds.size() < 2 || seconds.size() < 2) {
    return fraction;
  }
  const double base = SquaredStandardError(base_seconds), other = SquaredStandardError(seconds);
  const double sum = base + other;
  if (sum <= 0) {
    fraction.interval = Interval{fraction.value, fraction.value};  // all repeats are equal
    return fraction;
  }
  const double degrees_of_freedom = sum * sum /
                                    (base * base / static_cast<double>(base_seconds.size() - 1) +
                                     other * other / static_cast<double>(seconds.size() - 1));
  const double half = StudentTFactor(confidence, degrees_of_freedom) * std::sqrt(sum);
  fraction.interval = Interval{KarpFlatt(ranks, speedup * std::exp(half)), KarpFlatt(ranks, speedup * std::exp(-half))};
  return fraction;
}

}  // namespace lockstep
