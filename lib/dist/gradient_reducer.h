// What every reducer of gradients has, ours (bucketed_reducer.h) and LibTorch's (c10d_reducer.h), so that a run can hold
// either: its options, its parameters, and what it says of the steps that it took part in.
#ifndef LOCKSTEP_LIB_DIST_GRADIENT_REDUCER_H_
#define LOCKSTEP_LIB_DIST_GRADIENT_REDUCER_H_

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/dist/bucket_plan.h"
#include "lib/dist/bucket_plan_auto.h"
#include "lib/dist/overlap_timing.h"
#include "lib/fused/wire.h"
#include "lib/train/gradient_hook.h"

namespace lockstep {

// How buckets are cut once gradients were seen.
enum class BucketRule {
  kDdp,   // by size, as PyTorch does (bucket_plan.h), in the order of the first step
  kAuto,  // by time (bucket_plan_auto.h): as above at first, and once more after a few steps that rank 0 measured
};

struct ReducerOptions {
  // The buckets of every step, the same on all ranks, so that a run has those of another; none: they go by the rule.
  BucketPlan plan;
  BucketRule rule = BucketRule::kDdp;
  AllReduceSeconds all_reduce_seconds;  // kAuto: what rank 0 plans by (all_reduce_cost_probe.h)
  BucketCaps caps;
  bool overlap = true;      // launch from the hooks; false: all after backward, in the same order
  bool all_reduce = true;   // false: hooks, copies and buckets as ever, but nothing is sent. Not a valid training run
  bool keep_local = false;  // keep this rank's own gradients of the first step: see TakeLocalGradients()
  Wire wire = Wire::kFp32;  // what a bucket is while it travels
};

// A leaf tensor that requires a gradient: fp32, dense, on the communicator's device.
struct NamedParameter {
  std::string name;
  at::Tensor tensor;
};

// What the steps since the last call spent on communication, on this rank.
struct ReducerTimes {
  std::vector<StepSummary> steps;  // in order; nothing exposed or busy where nothing is sent
  uint64_t sent_calls = 0;         // all-reduces
  uint64_t sent_bytes = 0;  // handed to them: the buckets' sizes on the wire, not what an algorithm makes of them
  std::vector<BucketTimes> mean_bucket;  // over the steps with the present buckets; parallel to buckets()
};

// Call BeforeBackward, backward, AfterBackward, in every step and on every rank. Not thread-safe.
class GradientReducer : public GradientHook {
 public:
  // The buckets of the next step in launch order, as indices into the parameters, and the sizes of their gradients.
  virtual const std::vector<std::vector<size_t>>& buckets() const = 0;
  virtual std::vector<uint64_t> BucketBytes() const = 0;

  // Whether the buckets of the next step are those of all steps to come.
  virtual bool has_final_plan() const = 0;

  // The buckets that a run needs to go on from here with the same sums: ReducerOptions::plan. None: those of a first step,
  // or, of a reducer that takes none, whatever it makes of them.
  virtual BucketPlan PlanFromHere() const { return {}; }

  // fp32 (parameters): gradients of the last step in the order of registration, flat. Undefined before the first.
  virtual at::Tensor Gradients() const = 0;

  // Like Gradients(), of this rank alone before scaling and reducing, of the first step. Once, after that step, and only
  // when they were kept.
  virtual at::Tensor TakeLocalGradients() = 0;

  // Waits for the device when it is not a CPU.
  virtual ReducerTimes TakeTimes() = 0;
};

// --- What the reducers share ---

// InvalidArgument: no parameters, or one that is not as NamedParameter says.
absl::Status CheckParameters(const std::vector<NamedParameter>& parameters);

// FailedPrecondition, with its name.
absl::Status NoGradient(const NamedParameter& parameter);

// Before any gradient was seen: the reverse of registration.
BucketPlan FirstBuckets(const std::vector<NamedParameter>& parameters, const BucketCaps& caps);

std::vector<uint64_t> GradientBytes(const std::vector<NamedParameter>& parameters);
std::vector<uint64_t> BytesOfBuckets(const BucketPlan& plan, const std::vector<NamedParameter>& parameters);

// fp32 (elements of all), one behind the other.
at::Tensor Flatten(const std::vector<at::Tensor>& tensors);
at::Tensor FlattenGradients(const std::vector<NamedParameter>& parameters);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_GRADIENT_REDUCER_H_
