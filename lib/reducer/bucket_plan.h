// Plan of the gradient buckets by size: PyTorch's rule (torch/csrc/distributed/c10d/reducer.cpp,
// compute_bucket_assignment_by_size). bucket_plan_auto.h plans by time.
//
// Gradients are taken in the order in which backward makes them ready. A bucket is closed by the gradient that brings
// it to its cap. So every bucket except the last is at least as large as its cap. The first cap is small, so that the
// first all-reduce starts early.
#ifndef LOCKSTEP_LIB_REDUCER_BUCKET_PLAN_H_
#define LOCKSTEP_LIB_REDUCER_BUCKET_PLAN_H_

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

// Returns the buckets. `size_bytes[i]` must be the size of the gradient of parameter i; `ready_order` must be a
// permutation of all indices. Returns an empty plan if there are no parameters.
BucketPlan PlanBuckets(const std::vector<uint64_t>& size_bytes, const std::vector<size_t>& ready_order,
                       const BucketCaps& caps);

// Returns the plan as text, which rank 0 sends to the others: "3,2;1,0" has two buckets of two.
std::string BucketPlanText(const BucketPlan& plan);

// Parses the text of BucketPlanText. Internal: `text` is not a plan for `parameters` gradients, in which each gradient
// is in one bucket and no bucket is empty.
absl::StatusOr<BucketPlan> ParseBucketPlan(const std::string& text, size_t parameters);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REDUCER_BUCKET_PLAN_H_
