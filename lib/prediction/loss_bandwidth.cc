#include "lib/prediction/loss_bandwidth.h"

#include <cmath>

#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

// Number of halvings of the range's logarithm: 21 / 2^44 is a relative error of about 1e-12.
constexpr int kHalvings = 44;

// Returns true if exposed communication takes more than kLostShare of a step.
absl::StatusOr<bool> Loses(const Workload& workload, const proto::Cluster& cluster, const Variant& variant,
                           uint32_t devices) {
  ASSIGN_OR_RETURN(const ModelledStep step, ModelStep(workload, cluster, variant, devices));
  return step.exchange.exposed_seconds > kLostShare * step.seconds.value;
}

}  // namespace

absl::StatusOr<LossBandwidth> FindLossBandwidth(const Workload& workload, const proto::Cluster& given,
                                                const Variant& given_variant, uint32_t devices) {
  if (devices <= given.devices_per_host()) {
    return LossBandwidth{std::nullopt, "one host"};
  }
  Variant variant = given_variant;
  variant.link_factor = 1;
  proto::Cluster cluster = given;
  cluster.mutable_inter_host()->clear_relative_error();  // no interval is needed, and it would take three times as long
  const auto loses_at = [&](double bytes_per_second) {
    cluster.mutable_inter_host()->set_bytes_per_second(bytes_per_second);
    return Loses(workload, cluster, variant, devices);
  };
  double low = kMinSearchedBytesPerSecond, high = kMaxSearchedBytesPerSecond;
  ASSIGN_OR_RETURN(const bool loses_at_lowest, loses_at(low));
  if (!loses_at_lowest) {
    return LossBandwidth{std::nullopt, "never: less than a tenth of a step is exposed even at 1 MB/s"};
  }
  ASSIGN_OR_RETURN(const bool loses_at_highest, loses_at(high));
  if (loses_at_highest) {
    cluster.mutable_inter_host()->set_latency_seconds(0);
    ASSIGN_OR_RETURN(const bool loses_without_latency, loses_at(high));
    return LossBandwidth{std::nullopt, loses_without_latency
                                           ? "always: communication within the hosts takes more than a tenth"
                                           : "always: the latency between hosts takes more than a tenth"};
  }
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = std::sqrt(low) * std::sqrt(high);
    ASSIGN_OR_RETURN(const bool loses, loses_at(middle));
    (loses ? low : high) = middle;
  }
  return LossBandwidth{high, ""};
}

}  // namespace lockstep
