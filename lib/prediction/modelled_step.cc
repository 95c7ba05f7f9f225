#include "lib/prediction/modelled_step.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/prediction/order_statistics.h"

namespace lockstep {
namespace {

absl::StatusOr<std::vector<BucketLoad>> BucketsOf(const Workload& workload, const Variant& variant) {
  std::vector<BucketLoad> buckets = workload.buckets;
  double total_bytes = 0;
  for (BucketLoad& bucket : buckets) {
    bucket.size_bytes *= variant.gradient_factor;
    total_bytes += bucket.size_bytes;
  }
  if (variant.bucket_bytes == 0) {
    return buckets;
  }
  constexpr double kMaxBuckets = 1e5;  // tensors are never split, and no network has so many
  if (!(total_bytes / variant.bucket_bytes <= kMaxBuckets)) {
    return absl::InvalidArgumentError(absl::StrCat("a gradient of ", total_bytes, " bytes in ", variant.name,
                                                   " would be more than ", kMaxBuckets,
                                                   " buckets; give a larger --what_if_bucket_mib"));
  }
  return Rebucket(buckets, variant.bucket_bytes, variant.bucket_bytes);
}

}  // namespace

absl::StatusOr<ModelledStep> ModelStep(const Workload& workload, const proto::Cluster& cluster, const Variant& variant,
                                       uint32_t devices) {
  ASSIGN_OR_RETURN(const std::vector<BucketLoad> buckets, BucketsOf(workload, variant));
  proto::Cluster changed = cluster;
  if (changed.has_inter_host()) {
    changed.mutable_inter_host()->set_bytes_per_second(cluster.inter_host().bytes_per_second() * variant.link_factor);
  }
  ModelledStep step;
  ASSIGN_OR_RETURN(step.exchange, CostOfExchange(variant.exchange, buckets, changed, devices));
  step.seconds = workload.step_seconds;
  if (devices > 1) {
    step.overhead_seconds = workload.overhead_seconds;
    step.seconds = step.seconds + step.overhead_seconds;
  }
  step.straggler_seconds = ExpectedMaximum(devices) * workload.straggler_sigma_seconds;
  step.seconds.value += step.exchange.exposed_seconds + step.straggler_seconds;
  return step;
}

double StepsPerEpoch(const Workload& workload, uint32_t devices) {
  const double global_batch = static_cast<double>(workload.batch_per_device) * devices;
  return std::ceil(static_cast<double>(workload.training_images) / global_batch);
}

absl::StatusOr<Estimate> ModelEpoch(const Workload& workload, const proto::Cluster& cluster, const Variant& variant,
                                    uint32_t devices) {
  ASSIGN_OR_RETURN(const ModelledStep step, ModelStep(workload, cluster, variant, devices));
  return StepsPerEpoch(workload, devices) * step.seconds;
}

}  // namespace lockstep
