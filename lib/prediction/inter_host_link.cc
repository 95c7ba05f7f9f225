#include "lib/prediction/inter_host_link.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/status_macros.h"
#include "lib/collectives/all_reduce_fit.h"
#include "lib/statistics/unit.h"

namespace lockstep {
namespace {

constexpr char kOrGiveTheLink[] = "or give --inter_host_latency_microseconds and --inter_host_gigabytes_per_second";

// Returns true for an all-reduce as training over several hosts would run it, or a part of it.
bool TrainingGets(const AllReducePoint& point) {
  return IsNcclsChoice(point) || point.way == "gloo" || absl::StartsWith(point.way, "counterparts, ");
}

bool HasSeveralRanksOnAHost(const AllReducePoint& point) { return point.hosts != 0 && point.hosts < point.ranks; }

// Returns the points of a link among those that `is_wanted` accepts.
std::vector<AllReducePoint> Chosen(const std::vector<AllReducePoint>& points,
                                   const std::function<bool(const AllReducePoint&)>& is_wanted) {
  std::vector<AllReducePoint> chosen;
  const auto before = [](const AllReducePoint& a, const AllReducePoint& b) {
    return a.ranks != b.ranks ? a.ranks > b.ranks : a.in_place && !b.in_place;
  };
  for (const AllReducePoint& point : points) {
    if (!TrainingGets(point) || !is_wanted(point) || (!chosen.empty() && before(chosen[0], point))) {
      continue;
    }
    if (!chosen.empty() && before(point, chosen[0])) {
      chosen.clear();
    }
    if (chosen.empty() || point.way == chosen[0].way) {
      chosen.push_back(point);
    }
  }
  return chosen;
}

// `points` must have two or more sizes.
absl::StatusOr<proto::Link> FitLink(const std::vector<AllReducePoint>& points, const std::string& source) {
  AllReduceFitOptions options;
  options.max_pieces = 1;
  ASSIGN_OR_RETURN(const AllReduceFit fit, FitAllReduce(points, options));
  const AlphaBetaPiece& line = fit.model.pieces[0];
  const std::string sizes = absl::StrFormat("%.10g to %.10g bytes", line.first_bytes, line.last_bytes);
  if (!(line.alpha_seconds > 0) || !(line.beta_seconds_per_byte > 0)) {
    return absl::FailedPreconditionError(absl::StrCat(source,
                                                      ": no latency and bandwidth above 0 explain the times of ", sizes,
                                                      "; measure smaller and larger sizes, ", kOrGiveTheLink));
  }
  const double ranks = points[0].ranks, messages = 2 * (ranks - 1), copies = messages / ranks;
  proto::Link link;
  link.set_latency_seconds(line.alpha_seconds / messages);
  link.set_bytes_per_second(copies / line.beta_seconds_per_byte);
  link.set_relative_error(std::sqrt(fit.model.relative_variance));
  link.set_source(absl::StrCat(source, points[0].way.empty() ? "" : absl::StrCat(", ", points[0].way), ", ", ranks,
                               " ranks, ", sizes));
  if (fit.worst_relative_error.has_value()) {
    absl::StrAppendFormat(link.mutable_source(), ", left-out sizes are off by up to %.3g %%",
                          kPercent.scale * *fit.worst_relative_error);
  }
  return link;
}

}  // namespace

absl::StatusOr<InterHostLinks> FitInterHostLinks(const std::vector<AllReducePoint>& points, const std::string& source) {
  const std::vector<AllReducePoint> single =
      Chosen(points, [](const AllReducePoint& point) { return !HasSeveralRanksOnAHost(point); });
  const auto within_hosts = std::find_if(points.begin(), points.end(), HasSeveralRanksOnAHost);
  if (single.empty() && within_hosts != points.end()) {
    return absl::FailedPreconditionError(absl::StrCat(
        source, ": expected all-reduce times among counterparts or with one rank on each host, found those of ",
        within_hosts->ranks, " ranks on ",
        within_hosts->hosts == 1 ? "one host" : absl::StrCat(within_hosts->hosts, " hosts"),
        "; measure with this version's gpu_all_reduce_benchmark over several hosts, ", kOrGiveTheLink));
  }
  if (!HasSeveralSizes(single)) {
    return absl::FailedPreconditionError(
        absl::StrCat(source, ": expected all-reduce times of NCCL or Gloo for two or more sizes, found fewer; measure ",
                     "sizes from some bytes to those of the gradient"));
  }
  InterHostLinks links;
  ASSIGN_OR_RETURN(links.inter_host, FitLink(single, source));
  const std::vector<AllReducePoint> flat =
      Chosen(points, [](const AllReducePoint& point) { return HasSeveralRanksOnAHost(point) && point.hosts > 1; });
  if (HasSeveralSizes(flat)) {
    ASSIGN_OR_RETURN(links.flat, FitLink(flat, source));
  }
  return links;
}

}  // namespace lockstep
