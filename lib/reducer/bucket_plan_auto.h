// Plan of the gradient buckets by time: from the time at which each gradient is ready and the cost of an all-reduce.
//
// Buckets are sent in the order of readiness, one after another. The all-reduce of a bucket of S bytes takes alpha +
// beta * S once no other is running:
//
//     finish_k = max(ready_k, finish_{k-1}) + alpha + beta * S_k
//
// (Li et al., VLDB 2020, section 3.2.3; the order is the reducer's). Among all ways to cut the order into buckets, the
// plan has the earliest last finish; among plans with equal last finish, one with the fewest buckets is taken. The last
// bucket is limited in size: it is ready when backward ends, so its whole all-reduce is exposed. Pure functions, any
// thread.
#ifndef LOCKSTEP_LIB_REDUCER_BUCKET_PLAN_AUTO_H_
#define LOCKSTEP_LIB_REDUCER_BUCKET_PLAN_AUTO_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/reducer/bucket_plan.h"

namespace lockstep {

// Largest size of the last bucket: the size of PyTorch's first bucket (BucketCaps). At the end latency counts, not
// bytes.
inline constexpr uint64_t kLastBucketMaxBytes = 1u << 20;

// Cost of an all-reduce. Both members must be 0 or more.
struct AllReduceSeconds {
  double alpha_seconds = 0;
  double beta_seconds_per_byte = 0;
};

// Size and readiness of one gradient.
struct TimedGradient {
  uint64_t sent_bytes = 0;
  double ready_seconds = 0;  // measured from the start of backward
};

// Returns the indices sorted by readiness. Gradients that were ready at the same time stay in the order of
// `ready_order`, which must be a permutation of all indices.
std::vector<size_t> OrderByReadiness(const std::vector<TimedGradient>& gradients,
                                     const std::vector<size_t>& ready_order);

// Returns the plan. `ready_order` must come from OrderByReadiness. The last bucket has at most kLastBucketMaxBytes,
// unless the last gradient alone has more. Returns an empty plan if there are no gradients. Takes at most n^3
// operations; a network here has 62 gradients.
BucketPlan PlanBucketsByTime(const std::vector<TimedGradient>& gradients, const std::vector<size_t>& ready_order,
                             const AllReduceSeconds& all_reduce);

// Returns the time at which the last bucket of a plan is done, in seconds from the start of backward; 0 without
// buckets.
double LastFinishSeconds(const BucketPlan& plan, const std::vector<TimedGradient>& gradients,
                         const AllReduceSeconds& all_reduce);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REDUCER_BUCKET_PLAN_AUTO_H_
