// Averages gradients over the ranks while backward still computes: what torch.nn.parallel.DistributedDataParallel does
// (Li et al., VLDB 2020, section 3), on our own communicator.
//
// Gradients live in flat buckets. A hook on each parameter runs when autograd has its gradient. The hook that completes a
// bucket writes its gradients, times 1/N, to their places in it, makes those places the parameters' grad(), and launches
// the all-reduce, unless a bucket before it is still open: buckets go out in one order, the same on every rank. The order
// of the gradients is the reverse of registration in the first step, and from then on the order in which rank 0 saw them
// become ready.
//
// Rationale: gradients are scaled before the sum, so that Gloo and NCCL need no more than a sum. They are copied a bucket
// at a time, because on a GPU a copy per parameter would cost 62 launches in a step of ResNet-18, and this costs a few.
#ifndef LOCKSTEP_LIB_DIST_BUCKETED_REDUCER_H_
#define LOCKSTEP_LIB_DIST_BUCKETED_REDUCER_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/dist/bucket_plan.h"
#include "lib/dist/communicator.h"
#include "lib/dist/overlap_timing.h"
#include "lib/dist/time_mark.h"
#include "lib/train/gradient_hook.h"

namespace lockstep {

struct ReducerOptions {
  BucketCaps caps;
  bool overlap = true;      // launch from the hooks; false: all after backward, in the same order
  bool all_reduce = true;   // false: hooks, copies and buckets as ever, but nothing is sent. Not a valid training run
  bool keep_local = false;  // keep this rank's own gradients of the first step: see TakeLocalGradients()
};

// A leaf tensor that requires a gradient: fp32, dense, on the communicator's device.
struct NamedParameter {
  std::string name;
  at::Tensor tensor;
};

// What the steps since the last call spent on communication, on this rank.
struct ReducerTimes {
  uint64_t steps = 0;
  double exposed_seconds = 0;  // sums over the steps: see overlap_timing.h
  double busy_seconds = 0;
  std::vector<BucketTimes> mean_bucket;  // over the steps with the present buckets; parallel to buckets()
};

// Call BeforeBackward, backward, AfterBackward, in every step and on every rank. Not thread-safe.
class BucketedReducer : public GradientHook {
 public:
  // `communicator` outlives the reducer. InvalidArgument: no parameters, or one that is not as NamedParameter says.
  static absl::StatusOr<std::unique_ptr<BucketedReducer>> Create(std::vector<NamedParameter> parameters,
                                                                 Communicator& communicator,
                                                                 const ReducerOptions& options);
  ~BucketedReducer() override;  // takes the hooks off; gradients stay as they are

  // Forgets the gradients of the step before, which lie in the buckets: those of this one are new, not added to the old.
  // A sum of this step's micro-batches so far stays; backward adds the last one's to it.
  absl::Status BeforeBackward() override;

  // FailedPrecondition: a parameter got no gradient. Unavailable: a rank is lost.
  absl::Status AfterBackward() override;

  // The buckets of the next step in launch order, as indices into the parameters, and their sizes.
  const std::vector<std::vector<size_t>>& buckets() const { return plan_; }
  std::vector<uint64_t> BucketBytes() const;

  // Hooks that have run since the reducer was made: parameters times steps, whatever the micro-batches.
  uint64_t hook_count() const { return hook_count_; }

  // fp32 (parameters): gradients of the last step in the order of registration, flat. Undefined before the first.
  at::Tensor Gradients() const;

  // Like Gradients(), of this rank alone before scaling and reducing, of the first step. Once, after that step, and only
  // when they were kept.
  at::Tensor TakeLocalGradients();

  // Waits for the device when it is not a CPU.
  ReducerTimes TakeTimes();

 private:
  struct Bucket {
    at::Tensor flat;  // fp32 (elements)
    size_t waiting_for = 0;
  };
  struct BucketMarks {
    TimeMark ready, begin, end;
  };
  struct StepMarks {
    TimeMark backward_begin, backward_end;
    std::vector<BucketMarks> buckets;
  };

  BucketedReducer(std::vector<NamedParameter> parameters, Communicator& communicator, const ReducerOptions& options);
  void AddHooks();
  void BuildBuckets(const std::vector<size_t>& ready_order);
  absl::Status AdoptReadyOrderOfRankZero();
  void OnGradient(size_t parameter);
  void FillBucket(size_t bucket);
  void LaunchReady();
  absl::Status Launch(size_t bucket);
  absl::Status CheckComplete() const;

  const std::vector<NamedParameter> parameters_;
  Communicator& communicator_;
  const ReducerOptions options_;
  const at::Tensor scale_;  // fp32 (): 1 / ranks
  std::vector<std::vector<size_t>> plan_;
  std::vector<Bucket> buckets_;
  std::vector<size_t> bucket_of_;       // of each parameter
  std::vector<at::Tensor> place_;       // of each parameter: the view into its bucket, with the parameter's strides
  std::vector<at::Tensor> handed_out_;  // places of the step before, as gradients
  std::vector<size_t> ready_order_;     // of the first step
  bool order_adopted_ = false;
  bool armed_ = false;  // between BeforeBackward and AfterBackward; a hook outside of it is an earlier micro-batch's
  std::vector<bool> seen_;  // of each parameter, in this step
  size_t next_bucket_ = 0;  // to be launched
  std::vector<std::shared_ptr<Collective>> in_flight_;
  absl::Status status_;            // first failure within the hooks, which cannot return one
  std::vector<at::Tensor> local_;  // of each parameter, of the first step
  uint64_t step_count_ = 0;
  uint64_t hook_count_ = 0;
  std::vector<StepMarks> marks_;        // of the steps since TakeTimes
  size_t first_with_present_plan_ = 0;  // index into marks_
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_BUCKETED_REDUCER_H_
