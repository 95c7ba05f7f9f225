#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/collectives/all_reduce_fit.h"
#include "lib/collectives/nccl_model.h"
#include "lib/comm_model/model_records.h"
#include "lib/statistics/quantity.h"
#include "lib/statistics/statistics.h"

namespace lockstep {
namespace {

using Group = std::vector<AllReducePoint>;

// Key: ranks, hosts, placement and way.
using GroupKey = std::tuple<uint32_t, uint32_t, bool, std::string>;
std::map<GroupKey, Group> GroupsOf(const std::vector<AllReducePoint>& points) {
  std::map<GroupKey, Group> groups;
  for (const AllReducePoint& point : points) {
    groups[{point.ranks, point.hosts, point.in_place, point.way}].push_back(point);
  }
  return groups;
}

AllReduceFitOptions OptionsOf(const proto::ModelSpec& spec) {
  AllReduceFitOptions options;
  options.acceptance.median_relative_error = spec.all_reduce().median_error();
  options.acceptance.worst_relative_error = spec.all_reduce().worst_error();
  options.acceptance.degrees_of_freedom = static_cast<int>(spec.all_reduce().min_degrees_of_freedom());
  options.acceptance.scored_from_bytes = static_cast<uint64_t>(spec.all_reduce().scored_from_bytes());
  options.confidence = spec.confidence();
  return options;
}

proto::Quantity Parameter(double value, const std::optional<Interval>& interval, double confidence) {
  return Modelled(value, interval, confidence, "weighted least squares of relative errors");
}

proto::LinkPiece PieceRecord(const AlphaBetaPiece& piece, double confidence) {
  proto::LinkPiece record;
  record.set_from_bytes(piece.first_bytes);
  record.set_to_bytes(piece.last_bytes);
  *record.mutable_alpha_seconds() = Parameter(piece.alpha_seconds, piece.alpha_interval, confidence);
  *record.mutable_beta_seconds_per_byte() = Parameter(piece.beta_seconds_per_byte, piece.beta_interval, confidence);
  record.set_points(static_cast<uint32_t>(piece.points));
  return record;
}

proto::LeaveOneOut ScoreOf(const AllReduceFit& fit) {
  proto::LeaveOneOut score;
  score.set_median_error(fit.median_relative_error.value_or(0));
  score.set_worst_error(fit.worst_relative_error.value_or(0));
  double worst = -1;
  for (const LeftOutSize& left_out : fit.left_out) {
    if (!left_out.scored) {
      continue;
    }
    score.set_points(score.points() + 1);
    if (std::abs(left_out.relative_error) > worst) {
      worst = std::abs(left_out.relative_error);
      score.set_worst_point(absl::StrCat(left_out.size_bytes, " bytes"));
    }
  }
  return score;
}

proto::AllReduceFit FitRecord(const AllReduceFit& fit, const AllReducePoint& sample, const std::string& source) {
  proto::AllReduceFit record;
  record.set_nccl_algorithm(sample.nccl_algorithm);
  record.set_nccl_protocol(sample.nccl_protocol);
  record.set_in_place(fit.in_place);
  record.set_source(absl::StrCat(source, fit.in_place ? ", in place" : ", out of place"));
  record.set_ranks(fit.ranks);
  record.set_degrees_of_freedom(fit.model.degrees_of_freedom);
  record.set_accepted(fit.rejected.empty());
  record.set_why_rejected(fit.rejected);
  *record.mutable_score() = ScoreOf(fit);
  if (record.accepted()) {
    for (const AlphaBetaPiece& piece : fit.model.pieces) {
      *record.add_piece() = PieceRecord(piece, fit.model.confidence);
    }
  }
  for (const LeftOutSize& left_out : fit.left_out) {
    proto::AllReduceFitPoint& point = *record.add_point();
    point.set_size_bytes(static_cast<double>(left_out.size_bytes));
    point.set_seconds(left_out.measured_seconds);
    point.set_left_out_seconds(left_out.predicted_seconds);
    point.set_nccl_model_seconds(NcclOneNodeSeconds(fit.ranks, left_out.size_bytes).value_or(0));
    if (record.accepted()) {
      point.set_fitted_seconds(PredictTime(fit.model, point.size_bytes()).seconds);
    }
  }
  return record;
}

// Predicts a time, and converts its interval back to a variance.
absl::StatusOr<Estimate> EstimateFrom(const AllReduceFit& fit, double size_bytes) {
  ASSIGN_OR_RETURN(const PredictedTime time, PredictAllReduce(fit, size_bytes, Extrapolation::kRefused));
  if (!time.interval.has_value()) {
    return Known(time.seconds);
  }
  const double reach = StudentTFactor(fit.model.confidence, fit.model.degrees_of_freedom);
  const double error = (time.interval->high - time.interval->low) / 2 / reach;
  const double variance = error * error;
  return Estimate{time.seconds, variance, variance * variance / fit.model.degrees_of_freedom};
}

// Returns true if the ways of the point are those of the reducers peer, peer_sharded and hierarchical within a host:
// packets for small sizes, copies for large ones.
bool IsByPeers(const AllReducePoint& point) { return absl::StartsWith(point.way, "auto, "); }

// Returns true for an all-reduce as training would run it: with NCCL's own choice, by peers with theirs, and on CPUs
// through shared memory.
bool TrainingGets(const AllReducePoint& point) {
  return IsNcclsChoice(point) || point.way == "shared memory" || IsByPeers(point);
}

void AddCurve(const AllReduceFit& fit, const AllReducePoint& sample, std::vector<AllReduceCurve>& curves) {
  const AllReduceCurve curve = {.ranks = fit.ranks,
                                .seconds = [fit](double bytes) { return EstimateFrom(fit, bytes); },
                                .by_peers = IsByPeers(sample),
                                .over_hosts = sample.hosts > 1};
  const auto same = std::find_if(curves.begin(), curves.end(), [&](const AllReduceCurve& one) {
    return one.ranks == curve.ranks && one.by_peers == curve.by_peers && one.over_hosts == curve.over_hosts;
  });
  if (same == curves.end()) {
    curves.push_back(curve);
  } else if (fit.in_place) {
    *same = curve;
  }
}

absl::Status FitFile(const AllReduceFile& file, const proto::ModelSpec& spec, FittedAllReduces& fitted) {
  for (const auto& [kind, group] : GroupsOf(file.points)) {
    if (!HasSeveralSizes(group)) {
      continue;
    }
    ASSIGN_OR_RETURN(const AllReduceFit fit, FitAllReduce(group, OptionsOf(spec)));
    fitted.fits.push_back(
        FitRecord(fit, group[0],
                  absl::StrCat(file.source, group[0].way.empty() ? "" : ", ", group[0].way, ", ", fit.ranks, " ranks",
                               group[0].hosts > 1 ? absl::StrCat(" on ", group[0].hosts, " hosts") : "")));
    if (fit.rejected.empty() && TrainingGets(group[0])) {
      AddCurve(fit, group[0], fitted.curves);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<FittedAllReduces> FitAllReduces(const CommModelInputs& inputs) {
  FittedAllReduces fitted;
  if (inputs.scale.has_value()) {
    ASSIGN_OR_RETURN(std::vector<AllReducePoint> points, AllReducePointsOf(*inputs.scale));
    RETURN_IF_ERROR(FitFile({inputs.scale->input.path(), std::move(points)}, inputs.model_spec, fitted));
  }
  for (const AllReduceFile& file : inputs.all_reduces) {
    RETURN_IF_ERROR(FitFile(file, inputs.model_spec, fitted));
  }
  return fitted;
}

}  // namespace lockstep
