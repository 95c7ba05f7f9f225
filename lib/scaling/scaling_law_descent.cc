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

double SerialOf(const LogThroughputs& measured, const std::vector<double>& parameters) {
  return parameters[measured.batches.size()];
}

double CoherencyOf(const LogThroughputs& measured, const std::vector<double>& parameters) {
  return parameters.size() > measured.batches.size() + 1 ? parameters[measured.batches.size() + 1] : 0;
}

LogSpeedup LogSpeedupOf(ScalingLaw law, const LogThroughputs& measured, const std::vector<double>& parameters,
                        size_t i) {
  return LogSpeedupAt(law, measured.ranks[i], SerialOf(measured, parameters), CoherencyOf(measured, parameters));
}

// Returns infinity if the law gives no throughput.
double SumOfSquares(ScalingLaw law, const LogThroughputs& measured, const std::vector<double>& parameters) {
  double sum = 0;
  for (size_t i = 0; i < measured.ranks.size(); ++i) {
    const double fitted = parameters[measured.batch_index[i]] + LogSpeedupOf(law, measured, parameters, i).value;
    sum += (measured.log_throughput[i] - fitted) * (measured.log_throughput[i] - fitted);
  }
  return std::isfinite(sum) ? sum : std::numeric_limits<double>::infinity();
}

// Linearizes the law at `parameters`: residuals as a sum of steps of the `free` parameters.
LeastSquaresProblem Linearized(ScalingLaw law, const LogThroughputs& measured, const std::vector<double>& parameters,
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
    row.reserve(free.size());
    for (const size_t j : free) {
      row.push_back(all[j]);
    }
    problem.rows.push_back(std::move(row));
    problem.values.push_back(measured.log_throughput[i] - parameters[measured.batch_index[i]] - speedup.value);
  }
  return problem;
}

constexpr int kMaxSteps = 200;
constexpr int kMaxHalvings = 60;
constexpr double kSettled = 1e-12;   // relative gain of the sum of squares that is due to rounding
constexpr double kRounding = 1e-14;  // relative error of a point that is due to rounding

// Runs Gauss-Newton over the `free` parameters, beginning at `start`.
absl::StatusOr<LawSolution> Descend(ScalingLaw law, const LogThroughputs& measured, const std::vector<double>& start,
                                    const std::vector<size_t>& free) {
  LawSolution solution{start, {}, SumOfSquares(law, measured, start)};
  for (int step = 0; step < kMaxSteps; ++step) {
    ASSIGN_OR_RETURN(solution.linear, FitLeastSquares(Linearized(law, measured, solution.parameters, free)));
    double length = 1, gain = 0;
    for (int halving = 0; halving < kMaxHalvings && gain <= 0; ++halving, length /= 2) {
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
      absl::StrCat("the fit of the scaling law ", ScalingLawName(law), " did not converge in ", kMaxSteps, " steps"));
}

// Returns g from the points as if they scaled ideally, and a = b = 0.
std::vector<double> Start(ScalingLaw law, const LogThroughputs& measured) {
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

bool ShapeIsNonNegative(const LogThroughputs& measured, const std::vector<double>& parameters) {
  return std::all_of(parameters.begin() + static_cast<std::ptrdiff_t>(measured.batches.size()), parameters.end(),
                     [](double shape) { return shape >= 0; });
}

// Returns the best of all fits that hold some of a and b at 0 and whose other shape parameters are >= 0.
absl::StatusOr<LawSolution> Constrained(ScalingLaw law, const LogThroughputs& measured,
                                        const LawSolution& free_solution) {
  if (ShapeIsNonNegative(measured, free_solution.parameters)) {
    return free_solution;
  }
  LawSolution best;
  best.sum_of_squares = std::numeric_limits<double>::infinity();
  for (size_t choice = 0; choice + 1 < size_t{1} << ShapeCount(law); ++choice) {
    std::vector<size_t> free = Range(measured.batches.size());
    for (size_t shape = 0; shape < ShapeCount(law); ++shape) {
      if ((choice >> shape & 1) != 0) {
        free.push_back(measured.batches.size() + shape);
      }
    }
    ASSIGN_OR_RETURN(const LawSolution solution, Descend(law, measured, Start(law, measured), free));
    if (ShapeIsNonNegative(measured, solution.parameters) && solution.sum_of_squares < best.sum_of_squares) {
      best = solution;
    }
  }
  return best;
}

absl::Status CheckEnough(ScalingLaw law, const LogThroughputs& measured) {
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

}  // namespace

absl::StatusOr<LawSolutions> DescendToLaw(ScalingLaw law, const LogThroughputs& measured) {
  RETURN_IF_ERROR(CheckEnough(law, measured));
  const std::vector<double> start = Start(law, measured);
  absl::StatusOr<LawSolution> free = Descend(law, measured, start, Range(start.size()));
  if (absl::IsInvalidArgument(free.status())) {
    return absl::FailedPreconditionError(
        absl::StrCat("the scaling law ", ScalingLawName(law), ": ", free.status().message()));
  }
  RETURN_IF_ERROR(free.status());
  LawSolutions solutions;
  solutions.free = *std::move(free);
  ASSIGN_OR_RETURN(solutions.constrained, Constrained(law, measured, solutions.free));
  return solutions;
}

}  // namespace lockstep
