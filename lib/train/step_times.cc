#include "lib/train/step_times.h"

#include <algorithm>

#include "lib/statistics/percentile.h"

namespace lockstep {

proto::StepTimes ToStepTimes(std::vector<double> seconds) {
  proto::StepTimes times;
  if (seconds.empty()) {
    times.set_absent_reason("no full step of a timed epoch was timed individually");
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
