// Averages gradients over the ranks while backward still computes: what torch.nn.parallel.DistributedDataParallel does
// (Li et al., VLDB 2020, section 3), on our own communicator.
//
// Gradients live in flat buckets. A hook on each parameter runs when autograd has its gradient. The hook that completes a
// bucket writes its gradients, times 1/N, to their places in it, makes those places the parameters' grad(), and launches
// the all-reduce, unless a bucket before it is still open: buckets go out in one order, the same on every rank. The order
// of the gradients is the reverse of registration in the first step, and from then on the order in which rank 0 saw them
// become ready. By BucketRule::kAuto rank 0 then measures when each is ready, for a few steps, and plans once more. A plan
// always is rank 0's, on all ranks. On a bf16 wire the scaled bucket is rounded before it is sent, and the sum that comes back replaces its
// values in fp32.
//
// Rationale: gradients are scaled before the sum, so that Gloo and NCCL need no more than a sum. They are copied a bucket
// at a time, because on a GPU a copy per parameter would cost 62 launches in a step of ResNet-18, and this costs a few.
#ifndef LOCKSTEP_LIB_DIST_BUCKETED_REDUCER_H_
#define LOCKSTEP_LIB_DIST_BUCKETED_REDUCER_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/dist/bucket_plan.h"
#include "lib/dist/communicator.h"
#include "lib/dist/gradient_reducer.h"
#include "lib/dist/readiness.h"
#include "lib/dist/reducer_marks.h"

namespace lockstep {

class BucketedReducer : public GradientReducer {
 public:
  // `communicator` outlives the reducer. InvalidArgument: no parameters, one that is not as NamedParameter says, or buckets
  // of other gradients than these.
  static absl::StatusOr<std::unique_ptr<BucketedReducer>> Create(std::vector<NamedParameter> parameters,
                                                                 Communicator& communicator,
                                                                 const ReducerOptions& options);
  ~BucketedReducer() override;  // takes the hooks off; gradients stay as they are

  // Forgets the gradients of the step before, which lie in the buckets: those of this one are new, not added to the old.
  // A sum of this step's micro-batches so far stays; backward adds the last one's to it.
  absl::Status BeforeBackward() override;

  // FailedPrecondition: a parameter got no gradient. Unavailable: a rank is lost.
  absl::Status AfterBackward() override;

  const BucketPlan& buckets() const override { return plan_; }
  std::vector<uint64_t> BucketBytes() const override;
  bool has_final_plan() const override { return !options_.plan.empty() || step_count_ > FinalPlanStep(); }
  BucketPlan PlanFromHere() const override;

  // Hooks that have run since the reducer was made: parameters times steps, whatever the micro-batches.
  uint64_t hook_count() const { return hook_count_; }

  // Captured steps have the buckets of all steps to come, and what they mark cannot be read.
  bool settled() const override { return has_final_plan(); }
  void BeginReplays() override;
  void Replayed() override;

  at::Tensor Gradients() const override;
  at::Tensor TakeLocalGradients() override;
  ReducerTimes TakeTimes() override { return marks_.Take(options_.all_reduce); }

 private:
  struct Bucket {
    at::Tensor flat;  // fp32 (elements)
    at::Tensor wire;  // (elements): what is sent. flat itself, or its values in bf16
    size_t waiting_for = 0;
  };
  BucketedReducer(std::vector<NamedParameter> parameters, Communicator& communicator, const ReducerOptions& options);
  void AddHooks();
  absl::Status BuildBuckets(BucketPlan plan);
  uint64_t FinalPlanStep() const;      // before this step, from 0, the last plan is adopted
  BucketPlan PlanByReadiness() const;  // after the first step
  BucketPlan PlanByTime() const;
  absl::Status AdoptPlan();
  absl::Status AdoptPlanOfRankZero(const BucketPlan& mine);
  void OnGradient(size_t parameter);
  void FillBucket(size_t bucket);
  void LaunchReady();
  absl::Status Launch(size_t bucket);
  absl::Status CheckComplete() const;

  const std::vector<NamedParameter> parameters_;
  Communicator& communicator_;
  const ReducerOptions options_;
  const at::Tensor scale_;  // fp32 (): 1 / ranks
  BucketPlan plan_;
  std::vector<Bucket> buckets_;
  std::vector<size_t> bucket_of_;       // of each parameter
  std::vector<at::Tensor> place_;       // of each parameter: the view into its bucket, with the parameter's strides
  std::vector<at::Tensor> handed_out_;  // places of the step before, as gradients
  std::vector<size_t> ready_order_;     // of the first step
  Readiness readiness_;                 // kAuto, rank 0: over the measured steps
  bool measured_ = false;               // whether this step is one of them
  bool armed_ = false;  // between BeforeBackward and AfterBackward; a hook outside of it is an earlier micro-batch's
  std::vector<bool> seen_;  // of each parameter, in this step
  size_t next_bucket_ = 0;  // to be launched
  std::vector<std::shared_ptr<Collective>> in_flight_;
  absl::Status status_;            // first failure within the hooks, which cannot return one
  std::vector<at::Tensor> local_;  // of each parameter, of the first step
  uint64_t step_count_ = 0;
  uint64_t hook_count_ = 0;
  ReducerMarks marks_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_BUCKETED_REDUCER_H_
