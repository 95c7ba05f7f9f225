#include "lib/prediction/inter_host_link.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/statistics/statistics.h"

namespace lockstep {
namespace {

// Returns true for an all-reduce as training between hosts would run it.
bool TrainingGets(const AllReducePoint& point) {
  return point.nccl_algorithm.empty() && point.nccl_protocol.empty() &&
         (point.way.empty() || point.way == "gloo" || absl::StartsWith(point.way, "nccl, "));
}

bool HasSeveralRanksOnAHost(const AllReducePoint& point) { return point.hosts != 0 && point.hosts < point.ranks; }

// Returns the points that InterHostLink describes, sorted by size.
std::vector<AllReducePoint> Chosen(const std::vector<AllReducePoint>& points) {
  std::vector<AllReducePoint> chosen;
  const auto before = [](const AllReducePoint& a, const AllReducePoint& b) {
    return a.ranks != b.ranks ? a.ranks > b.ranks : a.in_place && !b.in_place;
  };
  for (const AllReducePoint& point : points) {
    if (!TrainingGets(point) || HasSeveralRanksOnAHost(point) || (!chosen.empty() && before(chosen[0], point))) {
      continue;
    }
    if (!chosen.empty() && before(point, chosen[0])) {
      chosen.clear();
    }
    if (chosen.empty() || point.way == chosen[0].way) {
      chosen.push_back(point);
    }
  }
  std::sort(chosen.begin(), chosen.end(), [](const auto& a, const auto& b) { return a.size_bytes < b.size_bytes; });
  return chosen;
}

}  // namespace

absl::StatusOr<proto::Link> InterHostLink(const std::vector<AllReducePoint>& points, const std::string& source) {
  const std::vector<AllReducePoint> chosen = Chosen(points);
  const auto within_hosts = std::find_if(points.begin(), points.end(), HasSeveralRanksOnAHost);
  if (chosen.empty() && within_hosts != points.end()) {
    return absl::FailedPreconditionError(absl::StrCat(
        source, ": expected all-reduce times with one rank on each host, found those of ", within_hosts->ranks,
        " ranks on ", within_hosts->hosts == 1 ? "one host" : absl::StrCat(within_hosts->hosts, " hosts"),
        "; measure with one rank on each host, or give --inter_host_latency_microseconds and "
        "--inter_host_gigabytes_per_second"));
  }
  if (chosen.empty() || chosen.front().size_bytes == chosen.back().size_bytes) {
    return absl::FailedPreconditionError(
        absl::StrCat(source, ": expected all-reduce times of NCCL or Gloo for two or more sizes, found fewer; measure ",
                     "sizes from some bytes to those of the gradient, with one rank on each host"));
  }
  const AllReducePoint &small = chosen.front(), &large = chosen.back();
  const double small_seconds = Median(small.seconds), large_seconds = Median(large.seconds);
  const double ranks = small.ranks, messages = 2 * (ranks - 1), copies = messages / ranks;
  const double seconds_per_byte =
      (large_seconds - small_seconds) / static_cast<double>(large.size_bytes - small.size_bytes) / copies;
  const double latency = (small_seconds - copies * static_cast<double>(small.size_bytes) * seconds_per_byte) / messages;
  if (!(latency > 0) || !(seconds_per_byte > 0) || !std::isfinite(1 / seconds_per_byte)) {
    return absl::FailedPreconditionError(absl::StrCat(
        source, ": ", small.size_bytes, " bytes take ", small_seconds, " s and ", large.size_bytes, " bytes ",
        large_seconds, " s, which no latency and bandwidth explain; measure smaller and larger ",
        "sizes, or give --inter_host_latency_microseconds and --inter_host_gigabytes_per_second"));
  }
  proto::Link link;
  link.set_latency_seconds(latency);
  link.set_bytes_per_second(1 / seconds_per_byte);
  link.set_source(absl::StrCat(source, small.way.empty() ? "" : ", ", small.way, ", ", small.ranks, " ranks, ",
                               small.size_bytes, " and ", large.size_bytes, " bytes"));
  return link;
}

}  // namespace lockstep
