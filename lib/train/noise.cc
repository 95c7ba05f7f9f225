#include "lib/train/noise.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/device/nvidia_driver.h"

namespace lockstep {
namespace {

void WarnOfSpread(const proto::Samples& epoch_seconds, std::vector<std::string>& warnings) {
  std::vector<double> seconds(epoch_seconds.value().begin(), epoch_seconds.value().end());
  if (seconds.size() < 2) {
    return;
  }
  std::sort(seconds.begin(), seconds.end());
  const double median = (seconds[(seconds.size() - 1) / 2] + seconds[seconds.size() / 2]) / 2;
  const double spread = (seconds.back() - seconds.front()) / median;
  if (spread > kMaxEpochSpread) {
    warnings.push_back(
        absl::StrFormat("timed epochs differ by %.0f %% (%.4g to %.4g s): measure again on a quiet machine",
                        100 * spread, seconds.front(), seconds.back()));
  }
}

void WarnOfCpu(const proto::Neighbours& neighbours, std::vector<std::string>& warnings) {
  const double core_seconds = neighbours.cores() * neighbours.watched_seconds();
  if (core_seconds <= 0) {
    return;
  }
  const double share = neighbours.others_cpu_seconds() / core_seconds;
  const double switches = static_cast<double>(neighbours.forced_switches()) / neighbours.watched_seconds();
  if (share > kMaxOthersShare && switches > kMaxForcedSwitchesPerSecond) {
    warnings.push_back(
        absl::StrFormat("other processes used %.0f %% of the cores and preempted this one's threads %.0f times per "
                        "second (load average %.1f)",
                        100 * share, switches, neighbours.load_average()));
  }
}

void WarnOfSlowdown(const proto::DeviceWatch& watch, std::vector<std::string>& warnings) {
  for (const proto::ThrottleCount& throttle : watch.throttle()) {
    if (IsSlowdown(throttle.reason())) {
      warnings.push_back(absl::StrFormat("the GPU was slowed down by %s in %d of %d readings, at up to %.0f C",
                                         throttle.reason(), throttle.readings(), watch.readings(),
                                         watch.max_temperature_celsius()));
    }
  }
}

}  // namespace

std::vector<std::string> NoiseWarnings(const proto::Samples& epoch_seconds, const proto::Neighbours& neighbours,
                                       const proto::DeviceWatch& watch) {
  std::vector<std::string> warnings;
  WarnOfSpread(epoch_seconds, warnings);
  WarnOfCpu(neighbours, warnings);
  if (neighbours.gpu_processes() > 0) {
    warnings.push_back(absl::StrCat(neighbours.gpu_processes(),
                                    neighbours.gpu_processes() == 1 ? " other process is" : " other processes are",
                                    " on the GPU"));
  }
  WarnOfSlowdown(watch, warnings);
  return warnings;
}

}  // namespace lockstep
