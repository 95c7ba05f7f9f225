// Communication time of a step that overlaps its backward pass, computed from the times of one rank's steps.
#ifndef LOCKSTEP_LIB_REDUCER_OVERLAP_TIMING_H_
#define LOCKSTEP_LIB_REDUCER_OVERLAP_TIMING_H_

#include <cstddef>
#include <vector>

namespace lockstep {

// One bucket in one step, in seconds from the start of backward.
struct BucketTimes {
  double ready_seconds = 0;  // its last gradient was ready, or (without overlap) it was launched after backward
  double begin_seconds = 0;  // its all-reduce began: see Collective::begin
  double end_seconds = 0;    // its all-reduce ended
};

// One step. `buckets` must be empty if nothing was reduced.
struct StepTimes {
  double backward_seconds = 0;  // duration of backward
  std::vector<BucketTimes> buckets;
};

// Returns the time that the step waits for communication: the end of the last all-reduce minus the end of backward.
// Negative if all all-reduces ended before backward; 0 without buckets.
double ExposedSeconds(const StepTimes& step);

// Returns the length of the union of [begin, end] over the buckets.
double BusySeconds(const StepTimes& step);

// All-reduces of the measured steps. Without them, buckets have no begin and no end, and exposed and busy are 0.
enum class AllReduces { kSent, kLeftOut };

// Summary that is kept of each step.
struct StepSummary {
  double backward_seconds = 0;
  double exposed_seconds = 0;
  double busy_seconds = 0;
};
StepSummary SummaryOf(const StepTimes& step, AllReduces all_reduces);

// Returns the mean of each bucket over the steps that have as many buckets as the last step; earlier steps had another
// plan. Returns an empty list if there are no steps.
std::vector<BucketTimes> MeanBucketTimes(const std::vector<StepTimes>& steps);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REDUCER_OVERLAP_TIMING_H_
