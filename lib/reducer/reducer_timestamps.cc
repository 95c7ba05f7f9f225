#include "lib/reducer/reducer_timestamps.h"

#include <utility>

#include "lib/reducer/overlap_timing.h"

namespace lockstep {
namespace {

StepTimes TimesOfStep(const ReducerStepTimestamps& timestamps, AllReduces all_reduces) {
  StepTimes step;
  step.backward_seconds = timestamps.backward_end.SecondsSince(timestamps.backward_begin);
  for (const BucketTimestamps& bucket : timestamps.buckets) {
    BucketTimes& seconds = step.buckets.emplace_back();
    seconds.ready_seconds = bucket.ready.SecondsSince(timestamps.backward_begin);
    if (all_reduces == AllReduces::kSent) {
      seconds.begin_seconds = bucket.begin.SecondsSince(timestamps.backward_begin);
      seconds.end_seconds = bucket.end.SecondsSince(timestamps.backward_begin);
    }
  }
  return step;
}

}  // namespace

ReducerStepTimestamps& ReducerTimestamps::BeginStep(c10::Device device) {
  steps_.emplace_back();
  steps_.back().backward_begin = Timestamp::Here(device);
  return steps_.back();
}

void ReducerTimestamps::CountSent(uint64_t bytes) {
  ++sent_calls_;
  sent_bytes_ += bytes;
}

ReducerTimes ReducerTimestamps::Take(AllReduces all_reduces) {
  ReducerTimes times;
  times.sent_calls = std::exchange(sent_calls_, 0);
  times.sent_bytes = std::exchange(sent_bytes_, 0);
  const size_t first_with_present_plan = std::exchange(first_with_present_plan_, 0);
  std::vector<StepTimes> with_present_plan;
  const std::vector<ReducerStepTimestamps> steps = std::exchange(steps_, {});
  for (size_t i = 0; i < steps.size(); ++i) {
    StepTimes step = TimesOfStep(steps[i], all_reduces);
    times.steps.push_back(SummaryOf(step, all_reduces));
    if (i >= first_with_present_plan) {
      with_present_plan.push_back(std::move(step));
    }
  }
  times.mean_bucket = MeanBucketTimes(with_present_plan);
  return times;
}

}  // namespace lockstep
