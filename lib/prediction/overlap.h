// Part of the gradient's all-reduce that a step waits for, if buckets are sent while backward still runs.
//
// finish_k = max(ready_k, finish_{k-1}) + t(S_k): buckets are sent one after another, each once its last gradient is
// ready and the previous bucket is done. Source: the reducer's own order (lib/reducer/bucketed_reducer.h); S. Li et
// al., "PyTorch Distributed", VLDB 13 (2020), section 3.2.3. Times are seconds from the start of backward. Pure
// functions.
#ifndef LOCKSTEP_LIB_PREDICTION_OVERLAP_H_
#define LOCKSTEP_LIB_PREDICTION_OVERLAP_H_

#include <functional>
#include <vector>

namespace lockstep {

// One bucket of gradients. Lists of buckets are in the order in which they become ready.
struct BucketLoad {
  double size_bytes = 0;
  double ready_seconds = 0;
};

using SecondsOfBytes = std::function<double(double)>;

// Returns the time at which the last bucket is done; 0 without buckets.
double FinishSeconds(const std::vector<BucketLoad>& buckets, const SecondsOfBytes& all_reduce_seconds);

// Returns the finish minus the time at which the last bucket became ready, which is within microseconds of the end of
// backward. 0 without buckets.
double ExposedBySchedule(const std::vector<BucketLoad>& buckets, const SecondsOfBytes& all_reduce_seconds);

// Returns the same gradients in buckets of other caps, in order: the first bucket up to `first_bucket_bytes`, the
// others up to `bucket_bytes`. Gradients are taken to become ready evenly between the known buckets' times, beginning
// at 0. Both caps must be > 0.
std::vector<BucketLoad> Rebucket(const std::vector<BucketLoad>& buckets, double first_bucket_bytes,
                                 double bucket_bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_OVERLAP_H_
