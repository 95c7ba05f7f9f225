// Which gradients travel together, by when they are ready and what an all-reduce costs.
//
// Buckets go out in the order of readiness, one after another, and one of S bytes takes alpha + beta * S once it is alone:
//
//     finish_k = max(ready_k, finish_{k-1}) + alpha + beta * S_k
//
// (Li et al., VLDB 2020, section 3.2.3; the order is the reducer's). Among all ways to cut the order into buckets this is
// the one whose last finish comes first, and of equal ones one with the fewest buckets. The last bucket has room for
// little: it is ready when backward ends, so all of it is waited for. Pure functions, any thread.
#ifndef LOCKSTEP_LIB_DIST_BUCKET_PLAN_AUTO_H_
#define LOCKSTEP_LIB_DIST_BUCKET_PLAN_AUTO_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/dist/bucket_plan.h"

namespace lockstep {

// PyTorch's first bucket (BucketCaps), in its turn at the end: there it is latency that counts, not bytes.
inline constexpr uint64_t kLastBucketMaxBytes = 1u << 20;

// Both 0 or more.
struct AllReduceSeconds {
  double alpha_seconds = 0;
  double beta_seconds_per_byte = 0;
};

// What is known of one gradient.
struct TimedGradient {
  uint64_t wire_bytes = 0;
  double ready_seconds = 0;  // from the start of backward
};

// Indices by readiness; of gradients that were ready together, in the order of `ready_order`, a permutation of all.
std::vector<size_t> OrderByReadiness(const std::vector<TimedGradient>& gradients,
                                     const std::vector<size_t>& ready_order);

// `ready_order`: from OrderByReadiness. The last bucket has at most kLastBucketMaxBytes, unless the last gradient alone
// has more. No gradients, no buckets. n^3 steps at most; a network here has 62 gradients.
BucketPlan PlanBucketsByTime(const std::vector<TimedGradient>& gradients, const std::vector<size_t>& ready_order,
                             const AllReduceSeconds& all_reduce);

// When the last bucket of a plan is done, in seconds from the start of backward. 0 without buckets.
double LastFinishSeconds(const BucketPlan& plan, const std::vector<TimedGradient>& gradients,
                         const AllReduceSeconds& all_reduce);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_BUCKET_PLAN_AUTO_H_
