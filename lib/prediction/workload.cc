#include "lib/prediction/workload.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/collectives/collective_cost.h"
#include "lib/prediction/epoch_parts.h"
#include "lib/prediction/order_statistics.h"

namespace lockstep {

absl::StatusOr<Workload> MakeWorkload(const ScalingTimes& times, const StepCurve& curve,
                                      const AllReduceTime& all_reduce, uint32_t batch) {
  const ScalingTime* const anchor = FindAnchor(times, std::numeric_limits<uint32_t>::max(), batch);
  if (anchor == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(times.source, ": no run to start from"));
  }
  const PartsBasis basis = {&times, &curve, &all_reduce, anchor, ReducerPerStep(times, anchor->batch)};
  ASSIGN_OR_RETURN(const EpochParts parts, AnchorParts(basis));
  Workload workload;
  workload.training_images = times.training_images;
  workload.batch_per_device = batch;
  ASSIGN_OR_RETURN(workload.step_seconds, curve.StepSeconds(batch));
  ASSIGN_OR_RETURN(const Estimate anchor_step, curve.StepSeconds(anchor->batch));
  workload.overhead_seconds = (1 / parts.steps) * (parts.reducer + parts.rest);
  if (anchor->ranks > 1) {
    workload.straggler_sigma_seconds = parts.straggler.value / parts.steps / ExpectedMaximum(anchor->ranks);
  }
  workload.buckets = anchor->buckets;
  for (BucketLoad& bucket : workload.buckets) {
    bucket.ready_seconds *= workload.step_seconds.value / anchor_step.value;
  }
  if (workload.buckets.empty()) {
    if (times.gradient_bytes == 0) {
      return absl::FailedPreconditionError(absl::StrCat(
          times.source, ": the size of the gradient is not known; give parameter_count or gradient_bytes"));
    }
    workload.buckets = {{static_cast<double>(times.gradient_bytes) * times.sent_share, workload.step_seconds.value}};
  }
  return workload;
}

absl::StatusOr<proto::Link> MeasuredLink(const ScalingTimes& times, const AllReduceTime& all_reduce,
                                         uint32_t max_devices) {
  uint32_t ranks = 0;
  for (const ScalingTime& time : times.times) {
    ranks = std::max(ranks, time.ranks);
  }
  ranks = std::min(ranks, max_devices);
  const double bytes = static_cast<double>(times.gradient_bytes);
  if (ranks < 2 || bytes == 0) {
    return absl::NotFoundError("no all-reduce of several devices was measured");
  }
  ASSIGN_OR_RETURN(const Estimate seconds, all_reduce.Seconds(ranks, bytes));
  proto::Link link;
  link.set_bytes_per_second(AllReduceBusBandwidth(ranks, bytes, seconds.value));
  link.set_source(absl::StrCat("bus bandwidth of the gradient's all-reduce, ", all_reduce.Basis(ranks)));
  return link;
}

}  // namespace lockstep
