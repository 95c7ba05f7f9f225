#include "lib/prediction/what_if.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/prediction/bends.h"
#include "lib/prediction/loss_bandwidth.h"
#include "lib/statistics/quantity.h"

namespace lockstep {
namespace {

// Between hosts the latency must be given too; inside a host, a measured bandwidth includes it.
absl::Status CheckLink(const proto::Link& link, absl::string_view name, bool needs_latency) {
  const double latency = link.latency_seconds(), bandwidth = link.bytes_per_second();
  const bool latency_ok = std::isfinite(latency) && (needs_latency ? latency > 0 : latency >= 0);
  if (!(link.relative_error() >= 0) || std::isinf(link.relative_error())) {
    return absl::InvalidArgumentError(
        absl::StrCat("the ", name, "-host link needs a relative_error of 0 or more; found ", link.relative_error()));
  }
  if (!latency_ok || !(bandwidth > 0) || std::isinf(bandwidth)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the ", name, "-host link needs a bandwidth above 0 and a latency ", needs_latency ? "above 0" : "of 0 or more",
        "; found ", bandwidth, " bytes/s and ", latency, " s; give --", name, "_host_gigabytes_per_second and --", name,
        "_host_latency_microseconds, or ", name, "_host in --cluster",
        needs_latency ? ", or measured times by --inter_host_all_reduce" : ""));
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
    ASSIGN_OR_RETURN(const Estimate epoch, ModelEpoch(workload, cluster, variant, devices));
    if (devices == 2 * devices_before && seconds_before / epoch.value < min_gain) {
      return devices;
    }
    devices_before = devices;
    seconds_before = epoch.value;
  }
  return 0;
}

// Returns the cluster whose link between hosts is that of this exchange.
proto::Cluster ClusterOf(Exchange exchange, const proto::Cluster& given) {
  proto::Cluster cluster = given;
  if (exchange == Exchange::kFlat && cluster.has_inter_host_flat()) {
    *cluster.mutable_inter_host() = cluster.inter_host_flat();
  }
  return cluster;
}

}  // namespace

absl::Status CheckCluster(const proto::Cluster& cluster, uint32_t max_devices) {
  if (cluster.devices_per_host() == 0) {
    return absl::InvalidArgumentError("a cluster needs devices on each host; give --devices_per_host, or --cluster");
  }
  RETURN_IF_ERROR(CheckAlgorithm(cluster));
  if (cluster.devices_per_host() > 1) {
    RETURN_IF_ERROR(CheckLink(cluster.intra_host(), "intra", false));
  }
  return max_devices > cluster.devices_per_host() ? CheckLink(cluster.inter_host(), "inter", true) : absl::OkStatus();
}

absl::StatusOr<proto::WhatIfRow> AskWhatIf(const Workload& workload, const proto::Cluster& given,
                                           const proto::ModelSpec& spec, const Variant& variant, uint32_t devices) {
  const proto::Cluster cluster = ClusterOf(variant.exchange, given);
  RETURN_IF_ERROR(CheckCluster(cluster, devices));
  RETURN_IF_ERROR(CheckDevices(cluster, devices));
  ASSIGN_OR_RETURN(const ModelledStep modelled_step, ModelStep(workload, cluster, variant, devices));
  ASSIGN_OR_RETURN(const Estimate single, ModelEpoch(workload, cluster, variant, 1));
  const ExchangeCost& exchange = modelled_step.exchange;
  const Estimate& step = modelled_step.seconds;
  const Estimate epoch = StepsPerEpoch(workload, devices) * step;
  const double global_batch = static_cast<double>(workload.batch_per_device) * devices;

  proto::WhatIfRow row;
  row.set_variant(variant.name);
  row.set_devices(devices);
  row.set_hosts(std::max<uint32_t>(devices / cluster.devices_per_host(), 1));
  row.set_batch_per_device(workload.batch_per_device);
  row.set_exchange(row.hosts() > 1 ? std::string(ExchangeName(variant.exchange)) : "one host");
  row.set_algorithm(exchange.algorithm);
  const double confidence = spec.confidence();
  const auto modelled = [&](const Estimate& estimate, const char* method) {
    return Modelled(estimate, confidence, method);
  };
  *row.mutable_all_reduce_seconds() =
      modelled(Known(exchange.all_reduce_seconds), "sum over buckets of the algorithm's cost; links as given");
  *row.mutable_exposed_seconds() = modelled(modelled_step.exposed_seconds,
                                            "finish_k = max(ready_k, finish_{k-1}) + t(S_k), last finish - last ready");
  *row.mutable_device_step_seconds() = modelled(workload.step_seconds, "step of one device");
  *row.mutable_overhead_seconds() =
      modelled(modelled_step.overhead_seconds, "added cost of a step of several devices, with exchange hidden");
  *row.mutable_straggler_seconds() = modelled(Known(modelled_step.straggler_seconds), "E[max of N] * sigma");
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
    ASSIGN_OR_RETURN(const Estimate before, ModelEpoch(workload, cluster, variant, half));
    row.set_pays(before.value / epoch.value >= spec.min_gain());
  } else {
    row.set_pays(speedup > 1);
  }
  ASSIGN_OR_RETURN(const uint32_t stops_paying_at, StopsPayingAt(workload, cluster, variant, spec.min_gain()));
  row.set_stops_paying_at(stops_paying_at);
  ASSIGN_OR_RETURN(const LossBandwidth loss, FindLossBandwidth(workload, cluster, variant, devices));
  *row.mutable_loss_bytes_per_second() =
      loss.bytes_per_second.has_value()
          ? modelled(Known(*loss.bytes_per_second), "bisection: exposed communication is a tenth of the step")
          : Absent(loss.why_none);
  ASSIGN_OR_RETURN(const std::vector<std::string> bends, ExplainBends(workload, cluster, variant, devices));
  row.mutable_bend()->Assign(bends.begin(), bends.end());
  return row;
}

}  // namespace lockstep
