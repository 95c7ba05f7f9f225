#include "lib/reducer/overlap_timing.h"

#include <algorithm>

namespace lockstep {

double ExposedSeconds(const StepTimes& step) {
  if (step.buckets.empty()) {
    return 0;
  }
  double last_end = step.buckets.front().end_seconds;
  for (const BucketTimes& bucket : step.buckets) {
    last_end = std::max(last_end, bucket.end_seconds);
  }
  return last_end - step.backward_seconds;
}

double BusySeconds(const StepTimes& step) {
  std::vector<BucketTimes> by_begin = step.buckets;
  std::sort(by_begin.begin(), by_begin.end(),
            [](const BucketTimes& a, const BucketTimes& b) { return a.begin_seconds < b.begin_seconds; });
  double busy_seconds = 0;
  double covered_until = by_begin.empty() ? 0 : by_begin.front().begin_seconds;
  for (const BucketTimes& bucket : by_begin) {
    const double from = std::max(bucket.begin_seconds, covered_until);
    busy_seconds += std::max(0.0, bucket.end_seconds - from);
    covered_until = std::max(covered_until, bucket.end_seconds);
  }
  return busy_seconds;
}

StepSummary SummaryOf(const StepTimes& step, AllReduces all_reduces) {
  const bool sent = all_reduces == AllReduces::kSent;
  return {step.backward_seconds, sent ? ExposedSeconds(step) : 0, sent ? BusySeconds(step) : 0};
}

std::vector<BucketTimes> MeanBucketTimes(const std::vector<StepTimes>& steps) {
  std::vector<BucketTimes> mean;
  if (steps.empty()) {
    return mean;
  }
  mean.resize(steps.back().buckets.size());
  const auto same = [&](const StepTimes& step) { return step.buckets.size() == mean.size(); };
  const double share = 1.0 / static_cast<double>(std::count_if(steps.begin(), steps.end(), same));
  for (const StepTimes& step : steps) {
    for (size_t i = 0; same(step) && i < mean.size(); ++i) {
      mean[i].ready_seconds += share * step.buckets[i].ready_seconds;
      mean[i].begin_seconds += share * step.buckets[i].begin_seconds;
      mean[i].end_seconds += share * step.buckets[i].end_seconds;
    }
  }
  return mean;
}

}  // namespace lockstep
