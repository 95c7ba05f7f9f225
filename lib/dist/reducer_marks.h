// The points in time that a reducer marks in its steps, and what they say.
#ifndef LOCKSTEP_LIB_DIST_REDUCER_MARKS_H_
#define LOCKSTEP_LIB_DIST_REDUCER_MARKS_H_

#include <cstddef>
#include <vector>

#include "lib/dist/gradient_reducer.h"
#include "lib/dist/time_mark.h"

namespace lockstep {

// One bucket in one step: see BucketTimes. Without an all-reduce there is no begin and no end.
struct BucketMarks {
  TimeMark ready, begin, end;
};

struct StepMarks {
  TimeMark backward_begin, backward_end;
  std::vector<BucketMarks> buckets;
};

// The times of these steps; what was sent is left to the caller. The steps from `first_with_present_plan` on have the
// present buckets, over which mean_bucket is taken. `sent`: whether buckets began and ended. Waits for the device when it
// is not a CPU.
ReducerTimes TimesOf(const std::vector<StepMarks>& steps, size_t first_with_present_plan, bool sent);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_REDUCER_MARKS_H_
