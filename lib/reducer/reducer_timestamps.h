// Timestamps that a reducer records in its steps, and the times computed from them.
#ifndef LOCKSTEP_LIB_REDUCER_REDUCER_TIMESTAMPS_H_
#define LOCKSTEP_LIB_REDUCER_REDUCER_TIMESTAMPS_H_

#include <c10/core/Device.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/communicator/timestamp.h"
#include "lib/reducer/gradient_reducer.h"

namespace lockstep {

// One bucket in one step: see BucketTimes. Without an all-reduce, `begin` and `end` are empty.
struct BucketTimestamps {
  Timestamp ready, begin, end;
};

struct ReducerStepTimestamps {
  Timestamp backward_begin, backward_end;
  std::vector<BucketTimestamps> buckets;
};

// Timestamps of the steps since the last Take(), and the amount sent in these steps.
class ReducerTimestamps {
 public:
  // Begins a step and records the start of its backward pass. The caller must fill in the other timestamps.
  ReducerStepTimestamps& BeginStep(c10::Device device);
  ReducerStepTimestamps& step() { return steps_.back(); }

  // Declares that the buckets change from the next step on.
  void BeginPlan() { first_with_present_plan_ = steps_.size(); }

  void CountSent(uint64_t bytes);

  // Returns the times and resets the object. `sent` must be false if the buckets have no begin and no end. Waits for
  // the device unless it is a CPU.
  ReducerTimes Take(AllReduces all_reduces);

 private:
  std::vector<ReducerStepTimestamps> steps_;
  size_t first_with_present_plan_ = 0;  // index into steps_
  uint64_t sent_calls_ = 0;
  uint64_t sent_bytes_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REDUCER_REDUCER_TIMESTAMPS_H_
