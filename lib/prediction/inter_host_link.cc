#include "lib/prediction/inter_host_link.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/status_macros.h"
#include "lib/collectives/piecewise_alpha_beta.h"
#include "lib/statistics/statistics.h"
#include "lib/statistics/unit.h"

namespace lockstep {
namespace {

constexpr char kOrGiveTheLink[] = "or give --inter_host_latency_microseconds and --inter_host_gigabytes_per_second";

// Returns true for an all-reduce as training over several hosts would run it, or a part of it.
bool TrainingGets(const AllReducePoint& point) {
  return point.nccl_algorithm.empty() && point.nccl_protocol.empty() &&
         (point.way.empty() || point.way == "gloo" || absl::StartsWith(point.way, "nccl, ") ||
          absl::StartsWith(point.way, "counterparts, "));
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

// Returns the median of each size.
std::vector<TimedSize> MediansOf(const std::vector<AllReducePoint>& points) {
  std::map<uint64_t, std::vector<double>> seconds;
  for (const AllReducePoint& point : points) {
    std::vector<double>& of_size = seconds[point.size_bytes];
    of_size.insert(of_size.end(), point.seconds.begin(), point.seconds.end());
  }
  std::vector<TimedSize> medians;
  for (const auto& [size_bytes, all] : seconds) {
    medians.push_back({static_cast<double>(size_bytes), Median(all)});
  }
  return medians;
}

// Returns for example ", errors of the line up to 12 %"; empty for two sizes, which a line meets.
std::string ErrorText(const AlphaBetaPiece& line, const std::vector<TimedSize>& medians) {
  double worst = 0;
  for (const TimedSize& size : medians) {
    const double fitted = line.alpha_seconds + line.beta_seconds_per_byte * size.size_bytes;
    worst = std::max(worst, std::abs(fitted / size.seconds - 1));
  }
  return medians.size() > 2 ? absl::StrFormat(", errors of the line up to %.2g %%", kPercent.scale * worst) : "";
}

// `points` must have two or more sizes.
absl::StatusOr<proto::Link> FitLink(const std::vector<AllReducePoint>& points, const std::string& source) {
  const std::vector<TimedSize> medians = MediansOf(points);
  ASSIGN_OR_RETURN(const PiecewiseAlphaBeta fit, FitPiecewiseAlphaBeta(medians, /*max_pieces=*/1, /*confidence=*/0.95));
  const AlphaBetaPiece& line = fit.pieces[0];
  if (!(line.alpha_seconds > 0) || !(line.beta_seconds_per_byte > 0)) {
    return absl::FailedPreconditionError(
        absl::StrFormat("%s: %.10g bytes take %.6g s and %.10g bytes %.6g s, which no latency and bandwidth explain; "
                        "measure smaller and larger sizes, %s",
                        source, medians.front().size_bytes, medians.front().seconds, medians.back().size_bytes,
                        medians.back().seconds, kOrGiveTheLink));
  }
  const double ranks = points[0].ranks, messages = 2 * (ranks - 1), copies = messages / ranks;
  proto::Link link;
  link.set_latency_seconds(line.alpha_seconds / messages);
  link.set_bytes_per_second(copies / line.beta_seconds_per_byte);
  link.set_relative_error(std::sqrt(fit.relative_variance));
  link.set_source(absl::StrFormat("%s%s, %.10g ranks, %.10g to %.10g bytes%s", source,
                                  points[0].way.empty() ? "" : absl::StrCat(", ", points[0].way), ranks,
                                  medians.front().size_bytes, medians.back().size_bytes, ErrorText(line, medians)));
  return link;
}

bool HasSeveralSizes(const std::vector<AllReducePoint>& points) {
  return std::any_of(points.begin(), points.end(),
                     [&](const AllReducePoint& point) { return point.size_bytes != points[0].size_bytes; });
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
        "; measure with gpu_all_reduce_benchmark over several hosts, ", kOrGiveTheLink));
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
