// How much of the communication of a step hid behind its backward pass: arithmetic on the times of one rank's steps.
#ifndef LOCKSTEP_LIB_DIST_OVERLAP_TIMING_H_
#define LOCKSTEP_LIB_DIST_OVERLAP_TIMING_H_

#include <cstddef>
#include <vector>

namespace lockstep {

// One bucket in one step, in seconds from the start of backward.
struct BucketTimes {
  double ready_seconds = 0;  // its last gradient was there, or (without overlap) it was launched after backward
  double begin_seconds = 0;  // its all-reduce began: see Collective::begin
  double end_seconds = 0;    // its all-reduce ended
};

// One step. `buckets` is empty when nothing was reduced.
struct StepTimes {
  double backward_seconds = 0;  // the length of backward
  std::vector<BucketTimes> buckets;
};

// The last all-reduce's end minus backward's end: what the step waits for. Negative when all were done before backward
// was; 0 without buckets.
double ExposedSeconds(const StepTimes& step);

// The length of the union of [begin, end] over the buckets.
double BusySeconds(const StepTimes& step);

// What is kept of each step. `sent`: whether buckets began and ended; else nothing is exposed or busy.
struct StepSummary {
  double backward_seconds = 0;
  double exposed_seconds = 0;
  double busy_seconds = 0;
};
StepSummary SummaryOf(const StepTimes& step, bool sent);

// Mean, bucket by bucket, over the steps that have as many buckets as the last: those before had another plan. No steps,
// no buckets.
std::vector<BucketTimes> MeanBucketTimes(const std::vector<StepTimes>& steps);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_OVERLAP_TIMING_H_
