// Which gradients travel together: PyTorch's rule (torch/csrc/distributed/c10d/reducer.cpp,
// compute_bucket_assignment_by_size). By time instead: bucket_plan_auto.h.
//
// Gradients are taken in the order in which backward makes them ready. A bucket is closed by the gradient that brings it
// to its cap, so a bucket is as large as its cap or larger, except the last. The first cap is small, so that the first
// all-reduce starts early.
#ifndef LOCKSTEP_LIB_DIST_BUCKET_PLAN_H_
#define LOCKSTEP_LIB_DIST_BUCKET_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace lockstep {

struct BucketCaps {
  uint64_t first_bytes = 1u << 20;   // 1 MiB, PyTorch's kDefaultFirstBucketBytes
  uint64_t other_bytes = 25u << 20;  // 25 MiB, PyTorch's kDefaultBucketBytesCap
};

// Buckets as lists of parameter indices, in the order in which they become ready.
using BucketPlan = std::vector<std::vector<size_t>>;

// `size_bytes[i]` is the gradient of parameter i; `ready_order` is a permutation of all indices. No parameters, no buckets.
BucketPlan PlanBuckets(const std::vector<uint64_t>& size_bytes, const std::vector<size_t>& ready_order,
                       const BucketCaps& caps);

// A plan on its way from rank 0 to the others: "3,2;1,0" has two buckets of two.
std::string BucketPlanText(const BucketPlan& plan);

// Internal unless it is a plan for `parameters` gradients: each in one bucket, no bucket empty.
absl::StatusOr<BucketPlan> ParseBucketPlan(const std::string& text, size_t parameters);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_BUCKET_PLAN_H_
