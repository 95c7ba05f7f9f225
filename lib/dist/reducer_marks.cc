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

ReducerTimes TimesOf(const std::vector<StepMarks>& steps, size_t first_with_present_plan, bool sent) {
  ReducerTimes times;
  times.steps = steps.size();
  std::vector<StepTimes> with_present_plan;
  for (size_t i = 0; i < steps.size(); ++i) {
    StepTimes step = TimesOfStep(steps[i], sent);
    if (sent) {
      times.exposed_seconds += ExposedSeconds(step);
      times.busy_seconds += BusySeconds(step);
    }
    if (i >= first_with_present_plan) {
      with_present_plan.push_back(std::move(step));
    }
  }
  times.mean_bucket = MeanBucketTimes(with_present_plan);
  return times;
}

}  // namespace lockstep
