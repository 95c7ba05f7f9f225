// Common interface of the gradient reducers, ours (bucketed_reducer.h) and LibTorch's (c10d_reducer.h): options,
// parameters, and the times of the steps. A run can use either.
#ifndef LOCKSTEP_LIB_REDUCER_GRADIENT_REDUCER_H_
#define LOCKSTEP_LIB_REDUCER_GRADIENT_REDUCER_H_

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/collectives/communication_dtype.h"
#include "lib/reducer/bucket_plan.h"
#include "lib/reducer/bucket_plan_auto.h"
#include "lib/reducer/overlap_timing.h"
#include "lib/train/gradient_hook.h"

namespace lockstep {

// Rule by which buckets are planned once gradients have been seen.
enum class BucketRule {
  kDdp,   // PyTorch's rule, by size (bucket_plan.h), in the order of the first step
  kAuto,  // plan by time (bucket_plan_auto.h): like kDdp at first, replanned after a few steps that rank 0 measured
};

struct ReducerOptions {
  // Buckets of every step, which must be the same on all ranks; used to repeat the buckets of another run. If empty,
  // the rule decides.
  BucketPlan plan;
  BucketRule rule = BucketRule::kDdp;
  AllReduceSeconds all_reduce_seconds;  // cost with which rank 0 plans for kAuto (all_reduce_cost_probe.h)
  BucketCaps caps;
  bool overlap = true;      // true: launch from the hooks; false: launch all after backward, in the same order
  bool all_reduce = true;   // false: same hooks, copies and buckets, but nothing is sent. Not a valid training run
  bool keep_local = false;  // keep this rank's own gradients of the first step: see TakeLocalGradients()
  CommunicationDtype communication_dtype = CommunicationDtype::kFp32;  // communication dtype of a bucket
};

// A leaf tensor that requires a gradient: fp32, dense, on the communicator's device.
struct NamedParameter {
  std::string name;
  at::Tensor tensor;
};

// Communication of the steps since the last call, on this rank.
struct ReducerTimes {
  std::vector<StepSummary> steps;        // one entry per step, in order; exposed and busy are 0 if nothing is sent
  uint64_t sent_calls = 0;               // number of all-reduces
  uint64_t sent_bytes = 0;               // bytes handed to them: the buckets' sizes, not what an algorithm sends
  std::vector<BucketTimes> mean_bucket;  // mean over the steps with the current buckets; parallel to buckets()
};

// Every rank must call BeforeBackward, backward and AfterBackward in this order in every step. Not thread-safe.
class GradientReducer : public GradientHook {
 public:
  // Return the buckets of the next step in launch order, as indices into the parameters, and the bytes of their
  // gradients.
  virtual const std::vector<std::vector<size_t>>& buckets() const = 0;
  virtual std::vector<uint64_t> BucketBytes() const = 0;

  // Returns true if all later steps have the buckets of the next step.
  virtual bool has_final_plan() const = 0;

  // Returns the value of ReducerOptions::plan with which a resumed run computes the same sums. Empty: the run must
  // start with the buckets of a first step, or the reducer takes no plan.
  virtual BucketPlan PlanFromHere() const { return {}; }

  // Returns the gradients of the last step: flat fp32 (parameters), in the order of registration. Undefined before the
  // first step.
  virtual at::Tensor Gradients() const = 0;

  // Returns this rank's own gradients of the first step, before scaling and reducing, in the format of Gradients().
  // Must be called at most once, after the first step, and only if ReducerOptions::keep_local is true.
  virtual at::Tensor TakeLocalGradients() = 0;

  // Returns the times since the last call. Waits for the device unless it is a CPU.
  virtual ReducerTimes TakeTimes() = 0;
};

// --- Functions that the reducers share ---

// Checks the parameters. InvalidArgument: no parameters, or one that does not satisfy NamedParameter.
absl::Status CheckParameters(const std::vector<NamedParameter>& parameters);

// Returns FailedPreconditionError with the parameter's name.
absl::Status NoGradient(const NamedParameter& parameter);

// Returns the buckets used before any gradient was seen: the reverse of registration.
BucketPlan FirstBuckets(const std::vector<NamedParameter>& parameters, const BucketCaps& caps);

std::vector<uint64_t> GradientBytes(const std::vector<NamedParameter>& parameters);
std::vector<uint64_t> BytesOfBuckets(const BucketPlan& plan, const std::vector<NamedParameter>& parameters);

// Returns the elements of all tensors, one tensor after another, as flat fp32.
at::Tensor Flatten(const std::vector<at::Tensor>& tensors);
at::Tensor FlattenGradients(const std::vector<NamedParameter>& parameters);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REDUCER_GRADIENT_REDUCER_H_
