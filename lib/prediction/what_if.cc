#include "lib/prediction/what_if.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/collectives/all_reduce_cost.h"
#include "lib/prediction/order_statistics.h"

namespace lockstep {
namespace {

// Algorithms to choose from if --algorithm is not given: for each size, the fastest.
constexpr std::array kCandidates = {AllReduceAlgorithm::kRing, AllReduceAlgorithm::kDoubleTree,
                                    AllReduceAlgorithm::kRecursiveDoubling, AllReduceAlgorithm::kHalvingDoubling,
                                    AllReduceAlgorithm::kHierarchical};

LinkCost CostOf(const proto::Link& link, double bandwidth_factor) {
  return {link.latency_seconds(), 1 / (link.bytes_per_second() * bandwidth_factor)};
}

AllReduceTopology TopologyOf(const proto::Cluster& cluster, const Variant& variant, uint32_t devices) {
  AllReduceTopology topology;
  topology.ranks = devices;
  topology.inside_host = CostOf(cluster.intra_host(), 1);
  if (devices > cluster.devices_per_host()) {
    topology.ranks_per_host = cluster.devices_per_host();
    topology.between_hosts = CostOf(cluster.inter_host(), variant.link_factor);
  }
  return topology;
}

absl::StatusOr<std::vector<AllReduceAlgorithm>> AlgorithmsOf(const proto::Cluster& cluster) {
  if (cluster.algorithm().empty()) {
    return std::vector<AllReduceAlgorithm>(kCandidates.begin(), kCandidates.end());
  }
  const absl::StatusOr<AllReduceAlgorithm> algorithm = ParseAllReduceAlgorithm(cluster.algorithm());
  if (!algorithm.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--algorithm: ", algorithm.status().message()));
  }
  return std::vector<AllReduceAlgorithm>{*algorithm};
}

struct Fastest {
  AllReduceAlgorithm algorithm;
  double seconds;
};

absl::StatusOr<Fastest> FindFastest(const std::vector<AllReduceAlgorithm>& algorithms,
                                    const AllReduceTopology& topology, double size_bytes) {
  std::optional<Fastest> fastest;
  for (const AllReduceAlgorithm algorithm : algorithms) {
    ASSIGN_OR_RETURN(const double seconds, AllReduceSeconds(algorithm, topology, size_bytes));
    if (!fastest.has_value() || seconds < fastest->seconds) {
      fastest = Fastest{algorithm, seconds};
    }
  }
  return *fastest;
}

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

// Communication of one step.
struct Communication {
  double all_reduce_seconds = 0;  // buckets one after another
  double exposed_seconds = 0;
  std::string algorithm;  // algorithm of the largest bucket
};

absl::StatusOr<Communication> Communicate(const Workload& workload, const proto::Cluster& cluster,
                                          const Variant& variant, uint32_t devices) {
  ASSIGN_OR_RETURN(const std::vector<AllReduceAlgorithm> algorithms, AlgorithmsOf(cluster));
  const AllReduceTopology topology = TopologyOf(cluster, variant, devices);
  ASSIGN_OR_RETURN(const std::vector<BucketLoad> buckets, BucketsOf(workload, variant));
  Communication communication;
  std::vector<double> seconds;
  double largest_bytes = -1;
  for (const BucketLoad& bucket : buckets) {
    ASSIGN_OR_RETURN(const Fastest fastest, FindFastest(algorithms, topology, bucket.size_bytes));
    seconds.push_back(fastest.seconds);
    communication.all_reduce_seconds += fastest.seconds;
    if (bucket.size_bytes > largest_bytes) {
      largest_bytes = bucket.size_bytes;
      communication.algorithm = std::string(AllReduceAlgorithmName(fastest.algorithm));
    }
  }
  size_t next = 0;
  communication.exposed_seconds = ExposedBySchedule(buckets, [&](double) { return seconds[next++]; });
  return communication;
}

Estimate StepSeconds(const Workload& workload, double exposed_seconds, uint32_t devices) {
  Estimate step = workload.step_seconds;
  if (devices > 1) {
    step = step + workload.overhead_seconds;
  }
  step.value += exposed_seconds + ExpectedMaximum(devices) * workload.straggler_sigma_seconds;
  return step;
}

double StepsOf(const Workload& workload, uint32_t devices) {
  const double global_batch = static_cast<double>(workload.batch_per_device) * devices;
  return std::ceil(static_cast<double>(workload.training_images) / global_batch);
}

absl::StatusOr<Estimate> EpochSeconds(const Workload& workload, const proto::Cluster& cluster, const Variant& variant,
                                      uint32_t devices) {
  ASSIGN_OR_RETURN(const Communication communication, Communicate(workload, cluster, variant, devices));
  return StepsOf(workload, devices) * StepSeconds(workload, communication.exposed_seconds, devices);
}

// Between hosts the latency must be given too; inside a host, a measured bandwidth includes it.
absl::Status CheckLink(const proto::Link& link, absl::string_view name, bool needs_latency) {
  const double latency = link.latency_seconds(), bandwidth = link.bytes_per_second();
  const bool latency_ok = std::isfinite(latency) && (needs_latency ? latency > 0 : latency >= 0);
  if (!latency_ok || !(bandwidth > 0) || std::isinf(bandwidth)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the ", name, "-host link needs a bandwidth above 0 and a latency ", needs_latency ? "above 0" : "of 0 or more",
        "; found ", bandwidth, " bytes/s and ", latency, " s; give --", name, "_host_gigabytes_per_second and --", name,
        "_host_latency_microseconds, or ", name, "_host in --cluster"));
  }
  return absl::OkStatus();
}

absl::Status CheckDevices(const proto::Cluster& cluster, uint32_t devices) {
  const uint32_t per_host = cluster.devices_per_host();
  if (devices == 0 || (devices > per_host && devices % per_host != 0)) {
    return absl::InvalidArgumentError(absl::StrCat("--what_if=", devices, ": expected 1 to ", per_host,
                                                   " devices of one host, or whole hosts of ", per_host));
  }
  return absl::OkStatus();
}

// Returns half the devices if the cluster can have that number; otherwise 0.
uint32_t HalfOf(const proto::Cluster& cluster, uint32_t devices) {
  const uint32_t half = devices / 2;
  return devices % 2 == 0 && CheckDevices(cluster, half).ok() ? half : 0;
}

// Returns 1, 2, 4, ... devices within a host, then whole hosts, doubled, as long as the cluster's links are given.
std::vector<uint32_t> Doublings(const proto::Cluster& cluster) {
  constexpr uint64_t kMaxDevices = 1 << 20;
  const uint64_t per_host = cluster.devices_per_host();
  const uint64_t max_devices =
      CheckLink(cluster.inter_host(), "inter", true).ok() ? kMaxDevices : std::min(per_host, kMaxDevices);
  std::vector<uint32_t> doublings;
  for (uint64_t devices = 1; devices < per_host && devices <= max_devices; devices *= 2) {
    doublings.push_back(static_cast<uint32_t>(devices));
  }
  for (uint64_t devices = per_host; devices <= max_devices; devices *= 2) {
    doublings.push_back(static_cast<uint32_t>(devices));
  }
  return doublings;
}

// Returns the first doubling that does not shorten the epoch by the factor `min_gain`; 0 if there is none.
absl::StatusOr<uint32_t> StopsPayingAt(const Workload& workload, const proto::Cluster& cluster, const Variant& variant,
                                       double min_gain) {
  uint32_t devices_before = 0;
  double seconds_before = 0;
  for (const uint32_t devices : Doublings(cluster)) {
    ASSIGN_OR_RETURN(const Estimate epoch, EpochSeconds(workload, cluster, variant, devices));
    if (devices == 2 * devices_before && seconds_before / epoch.value < min_gain) {
      return devices;
    }
    devices_before = devices;
    seconds_before = epoch.value;
  }
  return 0;
}

}  // namespace

absl::Status CheckCluster(const proto::Cluster& cluster, uint32_t max_devices) {
  if (cluster.devices_per_host() == 0) {
    return absl::InvalidArgumentError("a cluster needs devices on each host; give --devices_per_host, or --cluster");
  }
  RETURN_IF_ERROR(AlgorithmsOf(cluster).status());
  if (cluster.devices_per_host() > 1) {
    RETURN_IF_ERROR(CheckLink(cluster.intra_host(), "intra", false));
  }
  return max_devices > cluster.devices_per_host() ? CheckLink(cluster.inter_host(), "inter", true) : absl::OkStatus();
}

absl::StatusOr<proto::WhatIfRow> AskWhatIf(const Workload& workload, const proto::Cluster& cluster,
                                           const proto::ModelSpec& spec, const Variant& variant, uint32_t devices) {
  RETURN_IF_ERROR(CheckCluster(cluster, devices));
  RETURN_IF_ERROR(CheckDevices(cluster, devices));
  ASSIGN_OR_RETURN(const Communication communication, Communicate(workload, cluster, variant, devices));
  ASSIGN_OR_RETURN(const Estimate single, EpochSeconds(workload, cluster, variant, 1));
  const Estimate step = StepSeconds(workload, communication.exposed_seconds, devices);
  const Estimate epoch = StepsOf(workload, devices) * step;
  const double global_batch = static_cast<double>(workload.batch_per_device) * devices;

  proto::WhatIfRow row;
  row.set_variant(variant.name);
  row.set_devices(devices);
  row.set_hosts(std::max<uint32_t>(devices / cluster.devices_per_host(), 1));
  row.set_batch_per_device(workload.batch_per_device);
  row.set_algorithm(communication.algorithm);
  const double confidence = spec.confidence();
  const auto modelled = [&](const Estimate& estimate, const char* method) {
    return Modelled(estimate, confidence, method);
  };
  *row.mutable_all_reduce_seconds() =
      modelled(Known(communication.all_reduce_seconds), "sum over buckets of the algorithm's cost; links as given");
  *row.mutable_exposed_seconds() = modelled(Known(communication.exposed_seconds),
                                            "finish_k = max(ready_k, finish_{k-1}) + t(S_k), last finish - last ready");
  *row.mutable_step_seconds() = modelled(step, "one-device step + overhead + exposed + E[max of N] * sigma");
  *row.mutable_epoch_seconds() = modelled(epoch, "ceil(images/(B*N)) steps");
  *row.mutable_images_per_second() =
      modelled(Known(global_batch / step.value, global_batch * global_batch * step.variance / std::pow(step.value, 4)),
               "N*B / step");
  const double speedup = single.value / epoch.value;
  // Both times contain the one-device step, so its uncertainty mostly cancels; no interval is given.
  *row.mutable_speedup() = modelled(Known(speedup), "E_1(B)/E_N(B), whole steps");
  *row.mutable_efficiency() = modelled(Known(speedup / devices), "E_1(B)/E_N(B)/N");
  if (const uint32_t half = HalfOf(cluster, devices); half > 0) {
    ASSIGN_OR_RETURN(const Estimate before, EpochSeconds(workload, cluster, variant, half));
    row.set_pays(before.value / epoch.value >= spec.min_gain());
  } else {
    row.set_pays(speedup > 1);
  }
  ASSIGN_OR_RETURN(const uint32_t stops_paying_at, StopsPayingAt(workload, cluster, variant, spec.min_gain()));
  row.set_stops_paying_at(stops_paying_at);
  return row;
}

}  // namespace lockstep
