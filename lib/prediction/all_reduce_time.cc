#include "lib/prediction/all_reduce_time.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

// Returns the largest number of ranks in `measured` that is not above `ranks`; 0 if there is none.
template <typename Measured>
uint32_t Nearest(const std::vector<Measured>& measured, uint32_t ranks) {
  uint32_t nearest = 0;
  for (const Measured& one : measured) {
    nearest = one.ranks <= ranks ? std::max(nearest, one.ranks) : nearest;
  }
  return nearest;
}

// Scales the time of the size with the nearest ratio to `size_bytes`, among those measured at these ranks, by the
// bytes. One size does not show how much of its time is latency: a smaller message takes between its share and the
// whole time.
Estimate FromProbe(const std::vector<ProbeTime>& probes, uint32_t ranks, double size_bytes) {
  const ProbeTime* nearest = nullptr;
  const auto distance = [&](const ProbeTime& probe) { return std::abs(std::log(probe.size_bytes / size_bytes)); };
  for (const ProbeTime& probe : probes) {
    if (probe.ranks == ranks && (nearest == nullptr || distance(probe) < distance(*nearest))) {
      nearest = &probe;
    }
  }
  const double share = size_bytes / nearest->size_bytes;
  const Estimate seconds = share * nearest->seconds;
  const double max_latency = std::max(nearest->seconds.value - seconds.value, 0.0);
  // A latency of more than a tenth of the time would be visible in the bandwidth of the probe's megabytes.
  return seconds + Known(0, VarianceOfRange(0.1 * max_latency));
}

// Returns the number of times that each rank sends the gradient.
double CopiesSent(Sending sending, uint32_t ranks) {
  return sending == Sending::kRing ? 2 * (ranks - 1.0) / ranks : ranks - 1.0;
}

// Returns the ratio of the bytes that a rank sends to those that a rank of the measured ring sends.
double SentRatio(Sending sending, uint32_t ranks, uint32_t measured_ranks) {
  return CopiesSent(sending, ranks) / CopiesSent(Sending::kRing, measured_ranks);
}

}  // namespace

std::vector<AllReduceCurve> CurvesFor(const ScalingTimes& times, const std::vector<AllReduceCurve>& curves) {
  const bool by_peers = times.gpu_path == GpuPath::kPeerMemory, over_hosts = RanOverHosts(times);
  std::vector<AllReduceCurve> chosen;
  std::copy_if(curves.begin(), curves.end(), std::back_inserter(chosen), [&](const AllReduceCurve& curve) {
    return (over_hosts || !curve.over_hosts) && (by_peers || !curve.by_peers);
  });
  // The first curve of its ranks is the most like the run. The hosts are compared before the path: a network differs
  // more from a host than peer memory from NCCL.
  const auto order = [](const AllReduceCurve& curve) {
    return std::tuple(curve.ranks, !curve.over_hosts, !curve.by_peers);
  };
  std::stable_sort(chosen.begin(), chosen.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
  const auto others =
      std::unique(chosen.begin(), chosen.end(), [](const auto& a, const auto& b) { return a.ranks == b.ranks; });
  chosen.erase(others, chosen.end());
  return chosen;
}

AllReduceTime::AllReduceTime(std::vector<AllReduceCurve> curves, std::vector<ProbeTime> probes, std::string why_none,
                             Sending sending)
    : curves_(std::move(curves)), probes_(std::move(probes)), why_none_(std::move(why_none)), sending_(sending) {}

absl::StatusOr<Estimate> AllReduceTime::Seconds(uint32_t ranks, double size_bytes) const {
  if (ranks <= 1) {
    return Known(0);
  }
  const uint32_t nearest = std::max(Nearest(curves_, ranks), Nearest(probes_, ranks));
  if (nearest < 2) {
    return absl::NotFoundError(absl::StrCat("no all-reduce of 2 to ", ranks, " ranks was measured"));
  }
  const auto curve =
      std::find_if(curves_.begin(), curves_.end(), [&](const AllReduceCurve& one) { return one.ranks == nearest; });
  Estimate seconds;
  if (curve != curves_.end()) {
    ASSIGN_OR_RETURN(seconds, curve->seconds(size_bytes));
  } else {
    seconds = FromProbe(probes_, nearest, size_bytes);
  }
  const double ratio = SentRatio(sending_, ranks, nearest);
  if (ratio == 1) {
    return seconds;
  }
  return ratio * seconds + Known(0, VarianceOfRange((ratio - 1) * seconds.value));
}

std::string AllReduceTime::Basis(uint32_t ranks) const {
  const uint32_t curve = Nearest(curves_, ranks), probe = Nearest(probes_, ranks);
  const uint32_t nearest = std::max(curve, probe);
  if (nearest < 2) {
    return "no all-reduce was measured";
  }
  return absl::StrCat(curve == nearest ? "a fit of the all-reduce" : "the all-reduce of the gradient", " on ", nearest,
                      " devices",
                      SentRatio(sending_, ranks, nearest) == 1 ? ""
                      : sending_ == Sending::kRing             ? ", times a ring's ratio"
                                                               : ", times the ratio of whole copies to a ring");
}

}  // namespace lockstep
