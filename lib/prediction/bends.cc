#include "lib/prediction/bends.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/status_macros.h"
#include "lib/statistics/unit.h"

namespace lockstep {
namespace {

constexpr double kWorthAWord = 0.01;  // smaller costs are within the errors of a guessed link

// Returns the sentence about the latency between hosts; empty if the latency hardly matters.
absl::StatusOr<std::string> LatencyBend(const Workload& workload, const proto::Cluster& cluster, const Variant& variant,
                                        uint32_t devices) {
  if (devices <= cluster.devices_per_host()) {
    return std::string();
  }
  proto::Cluster without = cluster;
  without.mutable_inter_host()->set_latency_seconds(0);
  ASSIGN_OR_RETURN(const ModelledStep step, ModelStep(workload, cluster, variant, devices));
  ASSIGN_OR_RETURN(const ModelledStep shorter, ModelStep(workload, without, variant, devices));
  const double seconds = step.seconds.value - shorter.seconds.value;
  if (!(seconds >= kWorthAWord * step.seconds.value)) {
    return std::string();
  }
  return absl::StrFormat("latency: without it a step would be %.3g ms (%.3g %%) shorter; %.6g messages of %.3g us",
                         kMilliseconds.scale * seconds, kPercent.scale * seconds / step.seconds.value,
                         step.exchange.network_messages, kMicroseconds.scale * cluster.inter_host().latency_seconds());
}

// Returns the sentence about an overhead below 0, with which a prediction may even exceed linear scaling; otherwise
// empty.
std::string OverheadBend(const Workload& workload, uint32_t devices) {
  if (devices == 1 || !(workload.overhead_seconds.value <= -kWorthAWord * workload.step_seconds.value)) {
    return "";
  }
  return absl::StrFormat(
      "overhead below 0: in the record a step of several devices took %.3g ms less than the step of one device and its "
      "communication; measure both again on a quiet machine",
      -kMilliseconds.scale * workload.overhead_seconds.value);
}

// Returns the sentence about the last step of an epoch; empty if this step is nearly full.
std::string LastStepBend(const Workload& workload, uint32_t devices) {
  const double global_batch = static_cast<double>(workload.batch_per_device) * devices;
  const double steps = StepsPerEpoch(workload, devices);
  const double images = static_cast<double>(workload.training_images);
  const double unfilled = 1 - images / (steps * global_batch);
  if (!(unfilled >= kWorthAWord)) {
    return "";
  }
  return absl::StrFormat(
      "last step: %s has %.10g of %.10g images and takes as long as a full one, %.3g %% of the epoch "
      "unused",
      steps == 1 ? "the only step" : absl::StrFormat("the last of %.10g steps", steps),
      images - (steps - 1) * global_batch, global_batch, kPercent.scale * unfilled);
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ExplainBends(const Workload& workload, const proto::Cluster& cluster,
                                                      const Variant& variant, uint32_t devices) {
  ASSIGN_OR_RETURN(const std::string latency, LatencyBend(workload, cluster, variant, devices));
  std::vector<std::string> bends;
  for (const std::string& bend : {latency, OverheadBend(workload, devices), LastStepBend(workload, devices)}) {
    if (!bend.empty()) {
      bends.push_back(bend);
    }
  }
  return bends;
}

}  // namespace lockstep
