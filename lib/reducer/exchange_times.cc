#include "lib/reducer/exchange_times.h"

#include <algorithm>

namespace lockstep {

StepTimes TimesOf(const ExchangeStep& step, AllReduces all_reduces) {
  StepTimes times;
  times.backward_seconds = step.backward_seconds;
  double free_from = 0;  // end of the previous sum
  for (const ExchangedRange& range : step.ranges) {
    BucketTimes& bucket = times.buckets.emplace_back();
    bucket.ready_seconds = range.ready_seconds;
    if (all_reduces == AllReduces::kSent) {
      bucket.begin_seconds = std::max(range.ready_seconds, free_from);
      bucket.end_seconds = range.summed_seconds;
      free_from = range.summed_seconds;
    }
  }
  return times;
}

}  // namespace lockstep
