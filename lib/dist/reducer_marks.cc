#include "lib/dist/reducer_marks.h"

#include <utility>

#include "lib/dist/overlap_timing.h"

namespace lockstep {
namespace {

StepTimes TimesOfStep(const StepMarks& marks, bool sent) {
  StepTimes step;
  step.backward_seconds = marks.backward_end.SecondsSince(marks.backward_begin);
  for (const BucketMarks& bucket : marks.buckets) {
    BucketTimes& seconds = step.buckets.emplace_back();
    seconds.ready_seconds = bucket.ready.SecondsSince(marks.backward_begin);
    if (sent) {
      seconds.begin_seconds = bucket.begin.SecondsSince(marks.backward_begin);
      seconds.end_seconds = bucket.end.SecondsSince(marks.backward_begin);
    }
  }
  return step;
}

}  // namespace

StepMarks& ReducerMarks::BeginStep(c10::Device device) {
  steps_.emplace_back();
  steps_.back().backward_begin = TimeMark::Here(device);
  return steps_.back();
}

void ReducerMarks::CountSent(uint64_t bytes) {
  ++sent_calls_;
  sent_bytes_ += bytes;
}

ReducerTimes ReducerMarks::Take(bool sent) {
  ReducerTimes times;
  times.sent_calls = std::exchange(sent_calls_, 0);
  times.sent_bytes = std::exchange(sent_bytes_, 0);
  const size_t first_with_present_plan = std::exchange(first_with_present_plan_, 0);
  std::vector<StepTimes> with_present_plan;
  const std::vector<StepMarks> steps = std::exchange(steps_, {});
  for (size_t i = 0; i < steps.size(); ++i) {
    StepTimes step = TimesOfStep(steps[i], sent);
    times.steps.push_back(SummaryOf(step, sent));
    if (i >= first_with_present_plan) {
      with_present_plan.push_back(std::move(step));
    }
  }
  times.mean_bucket = MeanBucketTimes(with_present_plan);
  return times;
}

}  // namespace lockstep
