#include "lib/train/step_times.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lockstep {

double Percentile(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<size_t>(rank, 1) - 1];
}

proto::StepTimes ToStepTimes(std::vector<double> seconds) {
  proto::StepTimes times;
  if (seconds.empty()) {
    times.set_absent_reason("no full step of a timed epoch was timed by itself");
    return times;
  }
  std::sort(seconds.begin(), seconds.end());
  times.set_count(seconds.size());
  times.set_min_seconds(seconds.front());
  times.set_p50_seconds(Percentile(seconds, 0.5));
  times.set_p90_seconds(Percentile(seconds, 0.9));
  times.set_p95_seconds(Percentile(seconds, 0.95));
  times.set_p99_seconds(Percentile(seconds, 0.99));
  times.set_max_seconds(seconds.back());
  return times;
}

}  // namespace lockstep
