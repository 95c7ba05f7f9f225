// Averages gradients over the ranks while backward still computes, like torch.nn.parallel.DistributedDataParallel (Li
// et al., VLDB 2020, section 3), on our own communicator.
//
// Gradients live in flat buckets. A hook on each parameter runs when autograd has computed its gradient. The hook that
// completes a bucket:
// - writes the bucket's gradients, times 1/N, into the bucket and makes these slots the parameters' grad();
// - launches the all-reduce, unless an earlier bucket is still incomplete. Buckets are sent in the same order on every
//   rank.
//
// In the first step the gradients are in the reverse order of registration; from the second step on, in the order in
// which rank 0 saw them become ready. With BucketRule::kAuto, rank 0 then measures for a few steps when each gradient
// is ready, and plans once more. All ranks always use the plan of rank 0. If the communication dtype is bf16, the
// scaled bucket is rounded before it is sent, and the sum that comes back replaces its fp32 values.
//
// Rationale: gradients are scaled before the sum, so that Gloo and NCCL only need a sum. They are copied a bucket at a
// time, because on a GPU a copy per parameter would cost 62 launches in a step of ResNet-18, and this costs a few.
#ifndef LOCKSTEP_LIB_REDUCER_BUCKETED_REDUCER_H_
#define LOCKSTEP_LIB_REDUCER_BUCKETED_REDUCER_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/communicator/communicator.h"
#include "lib/reducer/bucket_plan.h"
#include "lib/reducer/gradient_reducer.h"
#include "lib/reducer/readiness.h"
#include "lib/reducer/reducer_timestamps.h"

namespace lockstep {

class BucketedReducer : public GradientReducer {
 public:
  // Makes a reducer. `communicator` must outlive it. InvalidArgument: no parameters; a parameter that does not satisfy
  // NamedParameter; or options.plan does not hold each gradient once.
  static absl::StatusOr<std::unique_ptr<BucketedReducer>> Create(std::vector<NamedParameter> parameters,
                                                                 Communicator& communicator,
                                                                 const ReducerOptions& options);
  ~BucketedReducer() override;  // removes the hooks; gradients stay as they are

  // Drops the gradients of the previous step, which lie in the buckets, so that backward does not add to them. Keeps
  // the sum of this step's earlier micro-batches; backward adds the last micro-batch's gradients to it.
  absl::Status BeforeBackward() override;

  // FailedPrecondition: a parameter got no gradient. Unavailable: a rank is lost.
  absl::Status AfterBackward() override;

  const BucketPlan& buckets() const override { return plan_; }
  std::vector<uint64_t> BucketBytes() const override;
  bool has_final_plan() const override { return !options_.plan.empty() || step_count_ > FinalPlanStep(); }
  BucketPlan PlanFromHere() const override;

  // Returns the number of hook calls so far: parameters times steps, whatever the number of micro-batches.
  uint64_t hook_count() const { return hook_count_; }

  // Returns true once the plan is final: captured steps use the buckets of all later steps, and their timestamps cannot
  // be read.
  bool settled() const override { return has_final_plan(); }
  void BeginReplays() override;
  void Replayed() override;

  at::Tensor Gradients() const override;
  at::Tensor TakeLocalGradients() override;
  ReducerTimes TakeTimes() override {
    return timestamps_.Take(options_.all_reduce ? AllReduces::kSent : AllReduces::kLeftOut);
  }

 private:
  struct Bucket {
    at::Tensor flat;         // fp32 (elements)
    at::Tensor send_buffer;  // (elements): the data that is sent; `flat` itself, or its values in bf16
    size_t waiting_for = 0;
  };
  BucketedReducer(std::vector<NamedParameter> parameters, Communicator& communicator, const ReducerOptions& options);
  void AddHooks();
  absl::Status BuildBuckets(BucketPlan plan);
  uint64_t FinalPlanStep() const;      // number of the step (from 0) before which the final plan is adopted
  BucketPlan PlanByReadiness() const;  // plan after the first step
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
  std::vector<size_t> bucket_of_;       // bucket of each parameter
  std::vector<at::Tensor> place_;       // slot of each parameter: a view into its bucket with the parameter's strides
  std::vector<at::Tensor> handed_out_;  // slots that the previous step set as the parameters' gradients
  std::vector<size_t> ready_order_;     // indices in the order of readiness in the first step
  Readiness readiness_;                 // times of the measured steps; used by rank 0 with kAuto
  bool measured_ = false;               // true if this step is measured
  // True between BeforeBackward and AfterBackward. A hook that runs at another time belongs to an earlier micro-batch.
  bool armed_ = false;
  std::vector<bool> seen_;  // true for parameters whose hook has run in this step
  size_t next_bucket_ = 0;  // index of the next bucket to launch
  std::vector<std::shared_ptr<Collective>> in_flight_;
  absl::Status status_;            // first failure in a hook, which cannot return it
  std::vector<at::Tensor> local_;  // local gradients of the first step, by parameter
  uint64_t step_count_ = 0;
  uint64_t hook_count_ = 0;
  ReducerTimestamps timestamps_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REDUCER_BUCKETED_REDUCER_H_
