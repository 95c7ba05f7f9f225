#include "lib/collectives/all_reduce_fit.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/status_macros.h"
#include "lib/statistics/statistics.h"

namespace lockstep {
namespace {

absl::StatusOr<std::vector<TimedSize>> MedianTimes(const std::vector<AllReducePoint>& points) {
  std::map<uint64_t, std::vector<double>> samples;
  for (const AllReducePoint& point : points) {
    if (point.ranks != points[0].ranks || point.in_place != points[0].in_place) {
      return absl::InvalidArgumentError(absl::StrCat(
          "expected all-reduce times of one number of ranks, all in place or all not, found another kind at ",
          point.origin));
    }
    auto& of_size = samples[point.size_bytes];
    of_size.insert(of_size.end(), point.seconds.begin(), point.seconds.end());
  }
  std::vector<TimedSize> times;
  for (const auto& [size, seconds] : samples) {
    if (seconds.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("expected a time of ", size, " bytes, found none"));
    }
    times.push_back({static_cast<double>(size), Median(seconds)});
  }
  return times;
}

absl::StatusOr<LeftOutSize> LeaveOut(const std::vector<TimedSize>& times, size_t index,
                                     const AllReduceFitOptions& options) {
  std::vector<TimedSize> others = times;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(index));
  ASSIGN_OR_RETURN(const PiecewiseAlphaBeta model,
                   FitPiecewiseAlphaBeta(others, options.max_pieces, options.confidence));
  const PredictedTime predicted = PredictTime(model, times[index].size_bytes);
  LeftOutSize left_out;
  left_out.size_bytes = static_cast<uint64_t>(times[index].size_bytes);
  left_out.measured_seconds = times[index].seconds;
  left_out.predicted_seconds = predicted.seconds;
  left_out.relative_error = predicted.seconds / times[index].seconds - 1;
  left_out.extrapolated = predicted.extrapolated;
  left_out.scored = left_out.size_bytes >= options.acceptance.scored_from_bytes;
  return left_out;
}

void Score(AllReduceFit* fit) {
  std::vector<double> errors;
  for (const LeftOutSize& left_out : fit->left_out) {
    if (left_out.scored) {
      errors.push_back(std::abs(left_out.relative_error));
    }
  }
  if (!errors.empty()) {
    fit->median_relative_error = Median(errors);
    fit->worst_relative_error = *std::max_element(errors.begin(), errors.end());
  }
}

// Returns an empty string if the fit is accepted. The comparisons are written so that NaN is rejected.
std::string WhyRejected(const AllReduceFit& fit, const FitAcceptance& acceptance) {
  if (fit.model.degrees_of_freedom < acceptance.degrees_of_freedom) {
    return absl::StrCat(fit.model.degrees_of_freedom, " degrees of freedom, at least ", acceptance.degrees_of_freedom,
                        " are required: measure more sizes");
  }
  if (!fit.median_relative_error) {
    return "no size could be left out and predicted: measure more sizes";
  }
  if (!(*fit.median_relative_error <= acceptance.median_relative_error)) {
    return absl::StrFormat("the median leave-one-out error is %.2f %%, at most %.2f %% is allowed",
                           100 * *fit.median_relative_error, 100 * acceptance.median_relative_error);
  }
  if (!(*fit.worst_relative_error <= acceptance.worst_relative_error)) {
    return absl::StrFormat("the worst leave-one-out error is %.2f %%, at most %.2f %% is allowed",
                           100 * *fit.worst_relative_error, 100 * acceptance.worst_relative_error);
  }
  return "";
}

}  // namespace

bool HasSeveralSizes(const std::vector<AllReducePoint>& points) {
  return std::any_of(points.begin(), points.end(),
                     [&](const AllReducePoint& point) { return point.size_bytes != points[0].size_bytes; });
}

absl::StatusOr<AllReduceFit> FitAllReduce(const std::vector<AllReducePoint>& points,
                                          const AllReduceFitOptions& options) {
  ASSIGN_OR_RETURN(const std::vector<TimedSize> times, MedianTimes(points));
  AllReduceFit fit;
  ASSIGN_OR_RETURN(fit.model, FitPiecewiseAlphaBeta(times, options.max_pieces, options.confidence));
  fit.ranks = points[0].ranks;
  fit.in_place = points[0].in_place;
  for (size_t i = 0; times.size() > 2 && i < times.size(); ++i) {
    ASSIGN_OR_RETURN(const LeftOutSize left_out, LeaveOut(times, i, options));
    fit.left_out.push_back(left_out);
  }
  Score(&fit);
  fit.rejected = WhyRejected(fit, options.acceptance);
  return fit;
}

absl::StatusOr<PredictedTime> PredictAllReduce(const AllReduceFit& fit, double size_bytes,
                                               Extrapolation extrapolation) {
  if (!fit.rejected.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the all-reduce fit of ", fit.ranks, " ranks predicts nothing: ", fit.rejected));
  }
  if (!std::isfinite(size_bytes) || size_bytes < 0) {
    return absl::InvalidArgumentError(absl::StrCat("expected a message of 0 or more bytes, found ", size_bytes));
  }
  const PredictedTime predicted = PredictTime(fit.model, size_bytes);
  if (predicted.extrapolated && extrapolation == Extrapolation::kRefused) {
    return absl::OutOfRangeError(absl::StrFormat(
        "expected a size among the measured ones, %.0f to %.0f bytes, found %.0f: measure it, or allow extrapolation",
        fit.model.first_bytes, fit.model.last_bytes, size_bytes));
  }
  return predicted;
}

}  // namespace lockstep
