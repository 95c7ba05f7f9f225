// Buckets of the reducer: their plans and their memory.
#include <ATen/ops/empty.h>

#include <string>
#include <utility>

#include "lib/base/status_macros.h"
#include "lib/reducer/bucket_plan_auto.h"
#include "lib/reducer/bucketed_reducer.h"

namespace lockstep {
namespace {

// Step 1 is the first with buckets by readiness, whose memory is new; step 2 is like all later steps. Five steps are
// measured, so that the median has two values on either side.
constexpr uint64_t kFirstMeasuredStep = 2;
constexpr uint64_t kMeasuredSteps = 5;

}  // namespace

absl::Status BucketedReducer::BuildBuckets(BucketPlan plan) {
  plan_ = std::move(plan);
  buckets_.clear();
  bucket_of_.assign(parameters_.size(), 0);
  place_.assign(parameters_.size(), at::Tensor());
  const bool is_bf16 = options_.communication_dtype == CommunicationDtype::kBf16;
  const at::TensorOptions options = parameters_.front().tensor.options().requires_grad(false);
  for (const std::vector<size_t>& members : plan_) {
    int64_t elements = 0;
    for (const size_t parameter : members) {
      elements += parameters_[parameter].tensor.numel();
    }
    Bucket bucket;
    ASSIGN_OR_RETURN(bucket.send_buffer,
                     communicator_.MakeFlat(elements, is_bf16 ? options.dtype(at::kBFloat16) : options));
    bucket.flat = is_bf16 ? at::empty({elements}, options) : bucket.send_buffer;
    int64_t offset = 0;
    for (const size_t parameter : members) {
      const at::Tensor& tensor = parameters_[parameter].tensor;
      bucket_of_[parameter] = buckets_.size();
      place_[parameter] = bucket.flat.as_strided(tensor.sizes(), tensor.strides(), offset);
      offset += tensor.numel();
    }
    buckets_.push_back(std::move(bucket));
  }
  timestamps_.BeginPlan();
  return absl::OkStatus();
}

uint64_t BucketedReducer::FinalPlanStep() const {
  return options_.rule == BucketRule::kAuto ? kFirstMeasuredStep + kMeasuredSteps : 1;
}

BucketPlan BucketedReducer::PlanByReadiness() const {
  return PlanBuckets(GradientBytes(parameters_), ready_order_, options_.caps);
}

// A plan by time that is not final yet is not returned: the resumed run plans anew.
BucketPlan BucketedReducer::PlanFromHere() const {
  return has_final_plan()                                             ? plan_
         : options_.rule == BucketRule::kDdp && !ready_order_.empty() ? PlanByReadiness()
                                                                      : BucketPlan();
}

BucketPlan BucketedReducer::PlanByTime() const {
  const std::vector<double> ready_seconds = readiness_.MedianSeconds();
  std::vector<TimedGradient> gradients;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const auto elements = static_cast<uint64_t>(parameters_[i].tensor.numel());
    gradients.push_back({elements * BytesPerElement(options_.communication_dtype), ready_seconds[i]});
  }
  return PlanBucketsByTime(gradients, OrderByReadiness(gradients, ready_order_), options_.all_reduce_seconds);
}

// Plans of the other ranks are not used.
absl::Status BucketedReducer::AdoptPlan() {
  if (!options_.plan.empty()) {
    return absl::OkStatus();
  }
  const bool is_auto = options_.rule == BucketRule::kAuto;
  measured_ =
      is_auto && communicator_.rank() == 0 && step_count_ >= kFirstMeasuredStep && step_count_ < FinalPlanStep();
  if (step_count_ == 1) {
    return AdoptPlanOfRankZero(PlanByReadiness());
  }
  if (is_auto && step_count_ == FinalPlanStep()) {
    return AdoptPlanOfRankZero(communicator_.rank() == 0 ? PlanByTime() : plan_);
  }
  return absl::OkStatus();
}

absl::Status BucketedReducer::AdoptPlanOfRankZero(const BucketPlan& mine) {
  ASSIGN_OR_RETURN(const std::vector<std::string> plans, communicator_.AllGather(BucketPlanText(mine)));
  ASSIGN_OR_RETURN(BucketPlan plan, ParseBucketPlan(plans[0], parameters_.size()));
  return BuildBuckets(std::move(plan));
}

}  // namespace lockstep
