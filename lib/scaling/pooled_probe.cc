#include "lib/scaling/pooled_probe.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/collectives/collective_cost.h"
#include "lib/statistics/percentile.h"
#include "lib/statistics/quantity.h"
#include "lib/statistics/statistics.h"

namespace lockstep {
namespace {

constexpr double kLowPercentile = 0.1, kHighPercentile = 0.9;

bool HasProbe(const proto::ScalePoint& point, uint32_t ranks) {
  return point.ranks() == ranks && point.probe().seconds().value_size() > 0;
}

}  // namespace

PooledProbe PoolProbes(const std::vector<const proto::ScalePoint*>& points, uint32_t ranks) {
  PooledProbe pooled;
  for (const proto::ScalePoint* point : points) {
    if (HasProbe(*point, ranks)) {
      pooled.size_bytes = std::max<uint64_t>(pooled.size_bytes, point->probe().size_bytes());
    }
  }
  for (const proto::ScalePoint* point : points) {
    if (HasProbe(*point, ranks) && point->probe().size_bytes() == pooled.size_bytes) {
      pooled.seconds.mutable_value()->MergeFrom(point->probe().seconds().value());
      ++pooled.points;
    }
  }
  std::sort(pooled.seconds.mutable_value()->begin(), pooled.seconds.mutable_value()->end());
  return pooled;
}

proto::Quantity BusBandwidthOf(const PooledProbe& probe, uint32_t ranks) {
  const std::vector<double> seconds(probe.seconds.value().begin(), probe.seconds.value().end());
  if (seconds.empty()) {
    return Absent("no all-reduce of these ranks was timed alone");
  }
  if (!(seconds.front() > 0)) {
    return Absent("the time of the all-reduce alone is not positive");
  }
  const auto bandwidth = [&](double time) {
    return AllReduceBusBandwidth(ranks, static_cast<double>(probe.size_bytes), time);
  };
  proto::Quantity link = Derived(
      Exactly(bandwidth(Median(seconds))),
      absl::StrCat("busbw = S/t * 2(N-1)/N of the all-reduce of ", probe.size_bytes, " bytes alone, N = ", ranks,
                   ", t the median of ", seconds.size(), seconds.size() == 1 ? " operation" : " operations", " at ",
                   probe.points, probe.points == 1 ? " point" : " points"));
  if (link.has_value() && seconds.size() > 1) {
    link.set_low(bandwidth(Percentile(seconds, kHighPercentile)));
    link.set_high(bandwidth(Percentile(seconds, kLowPercentile)));
    link.set_method(absl::StrCat(link.method(), "; interval: 10th to 90th percentile of the operations"));
  }
  return link;
}

}  // namespace lockstep
