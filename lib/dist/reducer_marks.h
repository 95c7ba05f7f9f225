// The points in time that a reducer marks in its steps, and what they say.
#ifndef LOCKSTEP_LIB_DIST_REDUCER_MARKS_H_
#define LOCKSTEP_LIB_DIST_REDUCER_MARKS_H_

#include <c10/core/Device.h>

#include <cstddef>
#include <cstdint>
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

// Those of the steps since they were last taken, and what was sent in them.
class ReducerMarks {
 public:
  // A step begins with its backward pass; what else is marked in it is the caller's.
  StepMarks& BeginStep(c10::Device device);
  StepMarks& step() { return steps_.back(); }

  // From the next step on there are other buckets.
  void BeginPlan() { first_with_present_plan_ = steps_.size(); }

  void CountSent(uint64_t bytes);

  // `sent`: whether buckets began and ended. Waits for the device when it is not a CPU.
  ReducerTimes Take(bool sent);

 private:
  std::vector<StepMarks> steps_;
  size_t first_with_present_plan_ = 0;  // index into steps_
  uint64_t sent_calls_ = 0;
  uint64_t sent_bytes_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_REDUCER_MARKS_H_
