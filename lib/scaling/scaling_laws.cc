#include "lib/scaling/scaling_laws.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/scaling/scaling_law.h"

namespace lockstep {
namespace {

absl::Status CheckPoints(const std::vector<ScalingPoint>& points, double confidence) {
  if (!(confidence > 0 && confidence < 1)) {
    return absl::InvalidArgumentError(absl::StrCat("expected a confidence between 0 and 1, found ", confidence));
  }
  for (const ScalingPoint& point : points) {
    const bool valid = std::all_of(point.throughput.begin(), point.throughput.end(),
                                   [](double x) { return std::isfinite(x) && x > 0; });
    if (point.ranks == 0 || point.throughput.empty() || !valid) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected 1 or more ranks and throughputs above 0, found others at ", point.ranks,
                       " ranks and batch ", point.batch));
    }
  }
  return absl::OkStatus();
}

LogThroughputs Means(const std::vector<ScalingPoint>& points) {
  std::set<uint32_t> batches;
  for (const ScalingPoint& point : points) {
    batches.insert(point.batch);
  }
  LogThroughputs measured;
  measured.batches.assign(batches.begin(), batches.end());
  for (const ScalingPoint& point : points) {
    const double sum = std::accumulate(point.throughput.begin(), point.throughput.end(), 0.0);
    measured.ranks.push_back(point.ranks);
    measured.batch_index.push_back(static_cast<size_t>(std::distance(batches.begin(), batches.find(point.batch))));
    measured.log_throughput.push_back(std::log(sum / static_cast<double>(point.throughput.size())));
  }
  return measured;
}

// Returns a shape parameter. Its interval is that of the free fit, cut off at 0 and extended to contain the value.
FittedParameter Shape(const LawSolution& constrained, const LeastSquaresFit& free_fit, size_t index,
                      double confidence) {
  FittedParameter parameter;
  parameter.value = constrained.parameters[index];
  if (const auto interval = ParameterInterval(free_fit, static_cast<int>(index), confidence)) {
    parameter.interval =
        Interval{std::min(std::max(interval->low, 0.0), parameter.value), std::max(interval->high, parameter.value)};
  }
  return parameter;
}

FittedParameter OneDevice(const LawSolution& constrained, const LeastSquaresFit& free_fit, size_t index,
                          double confidence) {
  FittedParameter parameter;
  parameter.value = std::exp(constrained.parameters[index]);
  if (const auto interval = ParameterInterval(free_fit, static_cast<int>(index), confidence)) {
    parameter.interval = Interval{std::min(std::exp(interval->low), parameter.value),
                                  std::max(std::exp(interval->high), parameter.value)};
  }
  return parameter;
}

// Returns all N for which 1 - a - b N^2, which is 0 at the peak, cannot be distinguished from 0 (E. Fieller, J. R.
// Stat. Soc. B 16, 1954): the N for which a quadratic in m = N^2 is not above 0.
Interval PeakInterval(const LeastSquaresFit& free_fit, size_t serial, double confidence) {
  const double t = StudentTFactor(confidence, free_fit.degrees_of_freedom);
  const double t2s2 = t * t * free_fit.sum_of_squares / free_fit.degrees_of_freedom;
  const auto& covariance = free_fit.unscaled_covariance;
  const double rest = 1 - free_fit.parameters[serial], b = free_fit.parameters[serial + 1];
  const double square = b * b - t2s2 * covariance[serial + 1][serial + 1];
  const double linear = -2 * (rest * b + t2s2 * covariance[serial][serial + 1]);
  const double constant = rest * rest - t2s2 * covariance[serial][serial];
  const double root = std::sqrt(std::max(linear * linear - 4 * square * constant, 0.0));
  const auto ranks = [](double m) { return std::sqrt(std::max(m, 0.0)); };
  if (square > 0) {
    return {ranks((-linear - root) / (2 * square)), ranks((-linear + root) / (2 * square))};
  }
  // b may be 0, so there may be no peak at all. Below the positive root there is no peak.
  const double low = square < 0 && constant > 0 ? ranks((-linear - root) / (2 * square)) : 0;
  return {low, std::numeric_limits<double>::infinity()};
}

std::optional<FittedParameter> Peak(const ScalingLawFit& fit) {
  if (fit.coherency.value <= 0 || fit.serial.value >= 1) {
    return std::nullopt;
  }
  FittedParameter peak;
  peak.value = std::sqrt((1 - fit.serial.value) / fit.coherency.value);
  if (fit.degrees_of_freedom > 0) {
    const Interval interval = PeakInterval(fit.free_fit, fit.one_device.size(), fit.confidence);
    peak.interval = Interval{std::min(interval.low, peak.value), std::max(interval.high, peak.value)};
  }
  return peak;
}

double ThroughputAt(const ScalingLawFit& fit, double one_device, uint32_t ranks) {
  return one_device * std::exp(LogSpeedupAt(fit.law, ranks, fit.serial.value, fit.coherency.value).value);
}

// Computes everything but the leave-one-out score.
absl::StatusOr<ScalingLawFit> FitWithoutScore(ScalingLaw law, const std::vector<ScalingPoint>& points,
                                              double confidence) {
  const LogThroughputs measured = Means(points);
  ASSIGN_OR_RETURN(const LawSolutions solutions, DescendToLaw(law, measured));
  ScalingLawFit fit;
  fit.law = law;
  fit.confidence = confidence;
  fit.free_fit = solutions.free.linear;
  fit.free_fit.parameters = solutions.free.parameters;
  fit.degrees_of_freedom = fit.free_fit.degrees_of_freedom;
  const size_t batches = measured.batches.size();
  for (size_t j = 0; j < batches; ++j) {
    fit.one_device[measured.batches[j]] = OneDevice(solutions.constrained, fit.free_fit, j, confidence);
  }
  fit.serial = Shape(solutions.constrained, fit.free_fit, batches, confidence);
  if (law == ScalingLaw::kUniversal) {
    fit.coherency = Shape(solutions.constrained, fit.free_fit, batches + 1, confidence);
    fit.peak_ranks = Peak(fit);
  }
  const auto [smallest, largest] = std::minmax_element(measured.ranks.begin(), measured.ranks.end());
  fit.smallest_ranks = *smallest;
  fit.largest_ranks = *largest;
  return fit;
}

std::optional<LeftOutPoint> LeaveOut(ScalingLaw law, const std::vector<ScalingPoint>& points, size_t index,
                                     double confidence) {
  std::vector<ScalingPoint> others = points;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(index));
  const absl::StatusOr<ScalingLawFit> fit = FitWithoutScore(law, others, confidence);
  if (!fit.ok() || fit->one_device.count(points[index].batch) == 0) {
    return std::nullopt;
  }
  LeftOutPoint left_out;
  left_out.ranks = points[index].ranks;
  left_out.batch = points[index].batch;
  left_out.measured = std::exp(Means({points[index]}).log_throughput[0]);
  left_out.predicted = ThroughputAt(*fit, fit->one_device.at(left_out.batch).value, left_out.ranks);
  left_out.relative_error = left_out.predicted / left_out.measured - 1;
  return left_out;
}

void Score(const std::vector<ScalingPoint>& points, ScalingLawFit* fit) {
  std::vector<double> errors;
  for (size_t i = 0; i < points.size(); ++i) {
    if (const auto left_out = LeaveOut(fit->law, points, i, fit->confidence);
        left_out && std::isfinite(left_out->relative_error)) {
      fit->left_out.push_back(*left_out);
      errors.push_back(std::abs(left_out->relative_error));
    }
  }
  if (!errors.empty()) {
    fit->median_relative_error = Median(errors);
    fit->worst_relative_error = *std::max_element(errors.begin(), errors.end());
  }
}

// Returns the free fit's interval of a new point: an interval of ln g + ln speed-up that includes the point's noise.
std::optional<Interval> NewMeasurement(const ScalingLawFit& fit, uint32_t batch, uint32_t ranks, double shown) {
  const size_t batches = fit.one_device.size();
  const size_t index = static_cast<size_t>(std::distance(fit.one_device.begin(), fit.one_device.find(batch)));
  const bool universal = fit.law == ScalingLaw::kUniversal;
  const double b = universal ? fit.free_fit.parameters[batches + 1] : 0;
  const LogSpeedup speedup = LogSpeedupAt(fit.law, ranks, fit.free_fit.parameters[batches], b);
  std::vector<double> row(fit.free_fit.parameters.size(), 0);
  row[index] = 1;
  row[batches] = speedup.by_serial;
  if (universal) {
    row[batches + 1] = speedup.by_coherency;
  }
  const auto around = PredictionInterval(fit.free_fit, row, 1, fit.confidence);
  if (!around || !std::isfinite(speedup.value)) {
    return std::nullopt;
  }
  // The interval is centered at the row times the parameters; `shift` moves the center to the law's value.
  const double shift = fit.free_fit.parameters[index] + speedup.value - Evaluate(row, fit.free_fit.parameters);
  return Interval{std::min(std::exp(around->low + shift), shown), std::max(std::exp(around->high + shift), shown)};
}

}  // namespace

absl::StatusOr<ScalingLawFit> FitScalingLaw(ScalingLaw law, const std::vector<ScalingPoint>& points,
                                            double confidence) {
  RETURN_IF_ERROR(CheckPoints(points, confidence));
  ASSIGN_OR_RETURN(ScalingLawFit fit, FitWithoutScore(law, points, confidence));
  Score(points, &fit);
  return fit;
}

absl::StatusOr<PredictedThroughput> PredictThroughput(const ScalingLawFit& fit, uint32_t batch, uint32_t ranks,
                                                      OutsideMeasured outside) {
  if (ranks == 0) {
    return absl::InvalidArgumentError("expected 1 or more devices, found 0");
  }
  const auto one_device = fit.one_device.find(batch);
  if (one_device == fit.one_device.end()) {
    return absl::NotFoundError(absl::StrCat("expected a batch that was measured, found ", batch));
  }
  PredictedThroughput predicted;
  predicted.extrapolated = ranks < fit.smallest_ranks || ranks > fit.largest_ranks;
  if (predicted.extrapolated && fit.degrees_of_freedom == 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("the scaling law ", ScalingLawName(fit.law),
                     " has as many parameters as points, 0 degrees of freedom: its error on ", ranks,
                     " devices is not known, so it is not extrapolated"));
  }
  if (predicted.extrapolated && outside == OutsideMeasured::kRefused) {
    return absl::OutOfRangeError(absl::StrCat("expected ", fit.smallest_ranks, " to ", fit.largest_ranks,
                                              " devices, as measured, found ", ranks,
                                              ": measure there, or extrapolate"));
  }
  predicted.value = ThroughputAt(fit, one_device->second.value, ranks);
  if (!std::isfinite(predicted.value)) {
    return absl::OutOfRangeError(absl::StrCat("the scaling law ", ScalingLawName(fit.law), " gives no throughput on ",
                                              ranks, " devices: its serial part takes all the time"));
  }
  predicted.interval = NewMeasurement(fit, batch, ranks, predicted.value);
  return predicted;
}

absl::StatusOr<ScalingLawComparison> CompareScalingLaws(const std::vector<ScalingPoint>& points, double confidence) {
  RETURN_IF_ERROR(CheckPoints(points, confidence));
  ScalingLawComparison comparison;
  for (const ScalingLaw law : {ScalingLaw::kAmdahl, ScalingLaw::kGustafson, ScalingLaw::kUniversal}) {
    absl::StatusOr<ScalingLawFit> fit = FitScalingLaw(law, points, confidence);
    if (fit.ok()) {
      comparison.fits.push_back(*std::move(fit));
    } else {
      comparison.missing.push_back(absl::StrCat(ScalingLawName(law), ": ", fit.status().message()));
    }
  }
  std::stable_sort(comparison.fits.begin(), comparison.fits.end(), [](const ScalingLawFit& a, const ScalingLawFit& b) {
    return a.median_relative_error.value_or(std::numeric_limits<double>::infinity()) <
           b.median_relative_error.value_or(std::numeric_limits<double>::infinity());
  });
  return comparison;
}

}  // namespace lockstep
