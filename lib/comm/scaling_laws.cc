#include "lib/comm/scaling_laws.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

// Mean throughputs, and the batches in order: what the parameters' places are.
struct Measured {
  std::vector<uint32_t> batches;
  std::vector<uint32_t> ranks;
  std::vector<size_t> batch_index;
  std::vector<double> log_throughput;
};

size_t ShapeCount(ScalingLaw law) { return law == ScalingLaw::kUniversal ? 2 : 1; }

// ln of the law's speed-up over one device, and its derivatives by a and b. Not a number where the law gives none.
struct LogSpeedup {
  double value;
  double by_serial;
  double by_coherency;
};

LogSpeedup LogSpeedupAt(ScalingLaw law, double n, double a, double b) {
  if (law == ScalingLaw::kGustafson) {
    const double speedup = n - a * (n - 1);
    return {std::log(speedup), -(n - 1) / speedup, 0};
  }
  const double slowdown = 1 + a * (n - 1) + b * n * (n - 1);
  return {std::log(n) - std::log(slowdown), -(n - 1) / slowdown, -n * (n - 1) / slowdown};
}

double SerialOf(const Measured& measured, const std::vector<double>& parameters) {
  return parameters[measured.batches.size()];
}

double CoherencyOf(const Measured& measured, const std::vector<double>& parameters) {
  return parameters.size() > measured.batches.size() + 1 ? parameters[measured.batches.size() + 1] : 0;
}

LogSpeedup LogSpeedupOf(ScalingLaw law, const Measured& measured, const std::vector<double>& parameters, size_t i) {
  return LogSpeedupAt(law, measured.ranks[i], SerialOf(measured, parameters), CoherencyOf(measured, parameters));
}

// Infinite where the law gives no throughput.
double SumOfSquares(ScalingLaw law, const Measured& measured, const std::vector<double>& parameters) {
  double sum = 0;
  for (size_t i = 0; i < measured.ranks.size(); ++i) {
    const double fitted = parameters[measured.batch_index[i]] + LogSpeedupOf(law, measured, parameters, i).value;
    sum += (measured.log_throughput[i] - fitted) * (measured.log_throughput[i] - fitted);
  }
  return std::isfinite(sum) ? sum : std::numeric_limits<double>::infinity();
}

// The law made linear at `parameters`: residuals as a sum of steps of the `free` parameters.
LeastSquaresProblem Linearized(ScalingLaw law, const Measured& measured, const std::vector<double>& parameters,
                               const std::vector<size_t>& free) {
  LeastSquaresProblem problem;
  const size_t batches = measured.batches.size();
  for (size_t i = 0; i < measured.ranks.size(); ++i) {
    const LogSpeedup speedup = LogSpeedupOf(law, measured, parameters, i);
    std::vector<double> all(batches + 2, 0);
    all[measured.batch_index[i]] = 1;
    all[batches] = speedup.by_serial;
    all[batches + 1] = speedup.by_coherency;
    std::vector<double> row;
    for (const size_t j : free) {
      row.push_back(all[j]);
    }
    problem.rows.push_back(std::move(row));
    problem.values.push_back(measured.log_throughput[i] - parameters[measured.batch_index[i]] - speedup.value);
  }
  return problem;
}

struct Solution {
  std::vector<double> parameters;
  LeastSquaresFit linear;  // at the parameters; its own parameters are the last step, nearly 0
  double sum_of_squares = 0;
};

constexpr int kMostSteps = 200;
constexpr int kMostHalvings = 60;
constexpr double kSettled = 1e-12;   // a relative gain of the sum of squares that is rounding
constexpr double kRounding = 1e-14;  // a relative error of a point that is rounding

// Gauss-Newton over the `free` parameters from `start`.
absl::StatusOr<Solution> Descend(ScalingLaw law, const Measured& measured, const std::vector<double>& start,
                                 const std::vector<size_t>& free) {
  Solution solution{start, {}, SumOfSquares(law, measured, start)};
  for (int step = 0; step < kMostSteps; ++step) {
    ASSIGN_OR_RETURN(solution.linear, FitLeastSquares(Linearized(law, measured, solution.parameters, free)));
    double length = 1, gain = 0;
    for (int halving = 0; halving < kMostHalvings && gain <= 0; ++halving, length /= 2) {
      std::vector<double> tried = solution.parameters;
      for (size_t k = 0; k < free.size(); ++k) {
        tried[free[k]] += length * solution.linear.parameters[k];
      }
      const double sum = SumOfSquares(law, measured, tried);
      if (sum < solution.sum_of_squares) {
        gain = solution.sum_of_squares - sum;
        solution.parameters = tried;
        solution.sum_of_squares = sum;
      }
    }
    const double rounding = kRounding * kRounding * static_cast<double>(measured.ranks.size());
    if (gain <= kSettled * solution.sum_of_squares || solution.sum_of_squares <= rounding) {
      solution.linear.sum_of_squares = solution.sum_of_squares;
      return solution;
    }
  }
  return absl::InternalError(
      absl::StrCat("the fit of the scaling law ", ScalingLawName(law), " did not settle in ", kMostSteps, " steps"));
}

// g from the points as if they scaled ideally, a = b = 0.
std::vector<double> Start(ScalingLaw law, const Measured& measured) {
  std::vector<double> parameters(measured.batches.size() + ShapeCount(law), 0);
  std::vector<double> count(measured.batches.size(), 0);
  for (size_t i = 0; i < measured.ranks.size(); ++i) {
    parameters[measured.batch_index[i]] += measured.log_throughput[i] - std::log(measured.ranks[i]);
    count[measured.batch_index[i]] += 1;
  }
  for (size_t j = 0; j < count.size(); ++j) {
    parameters[j] /= count[j];
  }
  return parameters;
}

std::vector<size_t> Range(size_t count) {
  std::vector<size_t> range(count);
  std::iota(range.begin(), range.end(), size_t{0});
  return range;
}

bool ShapeIsNonNegative(const Measured& measured, const std::vector<double>& parameters) {
  return std::all_of(parameters.begin() + static_cast<std::ptrdiff_t>(measured.batches.size()), parameters.end(),
                     [](double shape) { return shape >= 0; });
}

// The best of all fits with some of a and b held at 0 whose others are not below.
absl::StatusOr<Solution> Constrained(ScalingLaw law, const Measured& measured, const Solution& free_solution) {
  if (ShapeIsNonNegative(measured, free_solution.parameters)) {
    return free_solution;
  }
  Solution best;
  best.sum_of_squares = std::numeric_limits<double>::infinity();
  for (size_t choice = 0; choice + 1 < size_t{1} << ShapeCount(law); ++choice) {
    std::vector<size_t> free = Range(measured.batches.size());
    for (size_t shape = 0; shape < ShapeCount(law); ++shape) {
      if ((choice >> shape & 1) != 0) {
        free.push_back(measured.batches.size() + shape);
      }
    }
    ASSIGN_OR_RETURN(const Solution solution, Descend(law, measured, Start(law, measured), free));
    if (ShapeIsNonNegative(measured, solution.parameters) && solution.sum_of_squares < best.sum_of_squares) {
      best = solution;
    }
  }
  return best;
}

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

Measured Means(const std::vector<ScalingPoint>& points) {
  std::set<uint32_t> batches;
  for (const ScalingPoint& point : points) {
    batches.insert(point.batch);
  }
  Measured measured;
  measured.batches.assign(batches.begin(), batches.end());
  for (const ScalingPoint& point : points) {
    const double sum = std::accumulate(point.throughput.begin(), point.throughput.end(), 0.0);
    measured.ranks.push_back(point.ranks);
    measured.batch_index.push_back(static_cast<size_t>(std::distance(batches.begin(), batches.find(point.batch))));
    measured.log_throughput.push_back(std::log(sum / static_cast<double>(point.throughput.size())));
  }
  return measured;
}

absl::Status CheckEnough(ScalingLaw law, const Measured& measured) {
  const size_t parameters = measured.batches.size() + ShapeCount(law);
  const std::set<uint32_t> ranks(measured.ranks.begin(), measured.ranks.end());
  if (measured.ranks.size() < parameters || ranks.size() < ShapeCount(law) + 1) {
    return absl::FailedPreconditionError(absl::StrCat(
        "expected at least ", parameters, " points on ", ShapeCount(law) + 1, " different numbers of devices for the ",
        parameters, " parameters of the scaling law ", ScalingLawName(law), ", found ", measured.ranks.size(),
        " points on ", ranks.size(), ": measure on more"));
  }
  return absl::OkStatus();
}

struct Fitted {
  Measured measured;
  Solution free;
  Solution constrained;
};

absl::StatusOr<Fitted> FitBoth(ScalingLaw law, const std::vector<ScalingPoint>& points) {
  Fitted fitted;
  fitted.measured = Means(points);
  RETURN_IF_ERROR(CheckEnough(law, fitted.measured));
  const std::vector<double> start = Start(law, fitted.measured);
  absl::StatusOr<Solution> free = Descend(law, fitted.measured, start, Range(start.size()));
  if (absl::IsInvalidArgument(free.status())) {
    return absl::FailedPreconditionError(
        absl::StrCat("the scaling law ", ScalingLawName(law), ": ", free.status().message()));
  }
  RETURN_IF_ERROR(free.status());
  fitted.free = *std::move(free);
  ASSIGN_OR_RETURN(fitted.constrained, Constrained(law, fitted.measured, fitted.free));
  return fitted;
}

// Of a shape parameter: the free fit's, cut off at 0, and never without the value that is shown.
FittedParameter Shape(const Fitted& fitted, const LeastSquaresFit& free_fit, size_t index, double confidence) {
  FittedParameter parameter;
  parameter.value = fitted.constrained.parameters[index];
  if (const auto interval = ParameterInterval(free_fit, static_cast<int>(index), confidence)) {
    parameter.interval =
        Interval{std::min(std::max(interval->low, 0.0), parameter.value), std::max(interval->high, parameter.value)};
  }
  return parameter;
}

FittedParameter OneDevice(const Fitted& fitted, const LeastSquaresFit& free_fit, size_t index, double confidence) {
  FittedParameter parameter;
  parameter.value = std::exp(fitted.constrained.parameters[index]);
  if (const auto interval = ParameterInterval(free_fit, static_cast<int>(index), confidence)) {
    parameter.interval = Interval{std::min(std::exp(interval->low), parameter.value),
                                  std::max(std::exp(interval->high), parameter.value)};
  }
  return parameter;
}

// All N whose 1 - a - b N^2, which is 0 at the peak, cannot be told from 0 (E. Fieller, J. R. Stat. Soc. B 16, 1954):
// where a quadratic in m = N^2 is not above 0.
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
  // b may be 0: there may be no peak at all. Below the positive root there is none.
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

// All but the leave-one-out score.
absl::StatusOr<ScalingLawFit> FitWithoutScore(ScalingLaw law, const std::vector<ScalingPoint>& points,
                                              double confidence) {
  ASSIGN_OR_RETURN(const Fitted fitted, FitBoth(law, points));
  ScalingLawFit fit;
  fit.law = law;
  fit.confidence = confidence;
  fit.free_fit = fitted.free.linear;
  fit.free_fit.parameters = fitted.free.parameters;
  fit.degrees_of_freedom = fit.free_fit.degrees_of_freedom;
  const size_t batches = fitted.measured.batches.size();
  for (size_t j = 0; j < batches; ++j) {
    fit.one_device[fitted.measured.batches[j]] = OneDevice(fitted, fit.free_fit, j, confidence);
  }
  fit.serial = Shape(fitted, fit.free_fit, batches, confidence);
  if (law == ScalingLaw::kUniversal) {
    fit.coherency = Shape(fitted, fit.free_fit, batches + 1, confidence);
    fit.peak_ranks = Peak(fit);
  }
  const auto [smallest, largest] = std::minmax_element(fitted.measured.ranks.begin(), fitted.measured.ranks.end());
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

// The free fit's, of a new point: a distance in ln g + ln speed-up, to which the noise of the point is added.
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
  // The interval's middle is the row times the parameters; what is wanted in the middle is the law itself.
  const double shift = fit.free_fit.parameters[index] + speedup.value - Evaluate(row, fit.free_fit.parameters);
  return Interval{std::min(std::exp(around->low + shift), shown), std::max(std::exp(around->high + shift), shown)};
}

}  // namespace

absl::string_view ScalingLawName(ScalingLaw law) {
  switch (law) {
    case ScalingLaw::kAmdahl:
      return "amdahl";
    case ScalingLaw::kGustafson:
      return "gustafson";
    case ScalingLaw::kUniversal:
      return "universal";
  }
  return "";
}

absl::StatusOr<ScalingLawFit> FitScalingLaw(ScalingLaw law, const std::vector<ScalingPoint>& points,
                                            double confidence) {
  RETURN_IF_ERROR(CheckPoints(points, confidence));
  ASSIGN_OR_RETURN(ScalingLawFit fit, FitWithoutScore(law, points, confidence));
  Score(points, &fit);
  return fit;
}

absl::StatusOr<PredictedThroughput> PredictThroughput(const ScalingLawFit& fit, uint32_t batch, uint32_t ranks,
                                                      bool extrapolate) {
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
    return absl::FailedPreconditionError(absl::StrCat(
        "the scaling law ", ScalingLawName(fit.law), " has as many parameters as there are points, 0 degrees of ",
        "freedom: nothing says how far off it is on ", ranks, " devices, so it is not extrapolated"));
  }
  if (predicted.extrapolated && !extrapolate) {
    return absl::OutOfRangeError(absl::StrCat("expected ", fit.smallest_ranks, " to ", fit.largest_ranks,
                                              " devices, as measured, found ", ranks,
                                              ": measure there, or extrapolate"));
  }
  predicted.value = ThroughputAt(fit, one_device->second.value, ranks);
  if (!std::isfinite(predicted.value)) {
    return absl::OutOfRangeError(absl::StrCat("the scaling law ", ScalingLawName(fit.law), " gives no throughput on ",
                                              ranks, " devices: its serial part has taken all"));
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
