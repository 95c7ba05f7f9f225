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

// Returns the exposed seconds if messages between hosts take `factor` times as long.
absl::StatusOr<double> ExposedIfSlower(double factor, const std::vector<BucketLoad>& buckets, proto::Cluster cluster,
                                       const Variant& variant, uint32_t devices) {
  proto::Link& link = *cluster.mutable_inter_host();
  link.set_latency_seconds(link.latency_seconds() * factor);
  link.set_bytes_per_second(link.bytes_per_second() / factor);
  ASSIGN_OR_RETURN(const ExchangeCost cost, CostOfExchange(variant.exchange, buckets, cluster, devices));
  return cost.exposed_seconds;
}

// Returns the variance of the exposed seconds that the error of the link between hosts causes.
absl::StatusOr<double> ExposedVariance(const std::vector<BucketLoad>& buckets, const proto::Cluster& cluster,
                                       const Variant& variant, uint32_t devices) {
  const double error = cluster.inter_host().relative_error();
  if (error == 0 || devices <= cluster.devices_per_host()) {
    return 0.0;
  }
  ASSIGN_OR_RETURN(const double slower, ExposedIfSlower(1 + error, buckets, cluster, variant, devices));
  ASSIGN_OR_RETURN(const double faster, ExposedIfSlower(1 / (1 + error), buckets, cluster, variant, devices));
  const double half = (slower - faster) / 2;
  return half * half;
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
  ASSIGN_OR_RETURN(const double exposed_variance, ExposedVariance(buckets, changed, variant, devices));
  step.exposed_seconds = Known(step.exchange.exposed_seconds, exposed_variance);
  step.straggler_seconds = ExpectedMaximum(devices) * workload.straggler_sigma_seconds;
  step.seconds = step.seconds + step.exposed_seconds;
  step.seconds.value += step.straggler_seconds;
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
