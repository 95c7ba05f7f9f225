#include "lib/statistics/least_squares.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

absl::Status CheckProblem(const LeastSquaresProblem& problem) {
  const size_t n = problem.rows.size(), p = n == 0 ? 0 : problem.rows[0].size();
  if (p == 0 || n < p) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected at least as many observations as parameters, and one, found ", n, " and ", p));
  }
  if (problem.values.size() != n || (!problem.weights.empty() && problem.weights.size() != n)) {
    return absl::InvalidArgumentError(absl::StrCat("expected ", n, " values and as many weights or none, found ",
                                                   problem.values.size(), " and ", problem.weights.size()));
  }
  for (size_t i = 0; i < n; ++i) {
    const std::vector<double>& row = problem.rows[i];
    const double weight = problem.weights.empty() ? 1 : problem.weights[i];
    const bool finite = std::all_of(row.begin(), row.end(), [](double x) { return std::isfinite(x); });
    if (row.size() != p || !finite || !std::isfinite(problem.values[i]) || !std::isfinite(weight) || weight <= 0) {
      return absl::InvalidArgumentError(absl::StrCat("expected ", p,
                                                     " finite numbers, a finite value and a weight above 0, ",
                                                     "found something else in observation ", i + 1));
    }
  }
  return absl::OkStatus();
}

// Columns of the design that `free` names, and the values, each row times the square root of its weight.
struct WeightedSystem {
  Eigen::MatrixXd design;
  Eigen::VectorXd values;
};

WeightedSystem Weighted(const LeastSquaresProblem& problem, const std::vector<int>& free) {
  const Eigen::Index n = static_cast<Eigen::Index>(problem.rows.size());
  WeightedSystem system{Eigen::MatrixXd(n, static_cast<Eigen::Index>(free.size())), Eigen::VectorXd(n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    const double root = problem.weights.empty() ? 1 : std::sqrt(problem.weights[i]);
    for (Eigen::Index j = 0; j < system.design.cols(); ++j) {
      system.design(i, j) = root * problem.rows[i][free[j]];
    }
    system.values[i] = root * problem.values[i];
  }
  return system;
}

std::vector<std::vector<double>> ToRows(const Eigen::MatrixXd& matrix) {
  std::vector<std::vector<double>> rows(matrix.rows(), std::vector<double>(matrix.cols()));
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
      rows[i][j] = matrix(i, j);
    }
  }
  return rows;
}

// Fits only the parameters in `free`.
absl::StatusOr<LeastSquaresFit> Solve(const LeastSquaresProblem& problem, const std::vector<int>& free) {
  const WeightedSystem system = Weighted(problem, free);
  const Eigen::VectorXd lengths = system.design.colwise().norm();
  if (lengths.minCoeff() <= 0 || !lengths.allFinite()) {
    return absl::InvalidArgumentError(
        "expected every parameter to matter, found a column of zeros (or beyond a double)");
  }
  const Eigen::VectorXd scale = lengths.cwiseInverse();
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(system.design * scale.asDiagonal());
  if (qr.rank() < system.design.cols()) {
    return absl::InvalidArgumentError(
        "expected observations that distinguish the parameters, found columns that depend on one "
        "another: measure at more places");
  }
  const Eigen::VectorXd scaled = qr.solve(system.values);
  const Eigen::VectorXd parameters = scale.cwiseProduct(scaled);
  // X P = Q R, so (X' X)^-1 = P R^-1 R^-T P'.
  const Eigen::Index p = system.design.cols();
  const Eigen::MatrixXd inverse_r =
      qr.matrixR().topRows(p).triangularView<Eigen::Upper>().solve(Eigen::MatrixXd::Identity(p, p));
  const Eigen::MatrixXd half = scale.asDiagonal() * (qr.colsPermutation() * inverse_r);
  LeastSquaresFit fit;
  fit.parameters.assign(parameters.data(), parameters.data() + p);
  fit.unscaled_covariance = ToRows(half * half.transpose());
  fit.sum_of_squares = (system.values - system.design * parameters).squaredNorm();
  fit.degrees_of_freedom = static_cast<int>(problem.rows.size()) - static_cast<int>(p);
  return fit;
}

std::vector<int> AllOf(const LeastSquaresProblem& problem) {
  std::vector<int> all(problem.rows[0].size());
  for (size_t j = 0; j < all.size(); ++j) {
    all[j] = static_cast<int>(j);
  }
  return all;
}

// Returns value -+ t * sqrt(s^2 * unscaled_variance).
std::optional<Interval> Around(const LeastSquaresFit& fit, double value, double unscaled_variance, double confidence) {
  if (fit.degrees_of_freedom <= 0) {
    return std::nullopt;
  }
  const double variance = fit.sum_of_squares / fit.degrees_of_freedom * unscaled_variance;
  const double half = StudentTFactor(confidence, fit.degrees_of_freedom) * std::sqrt(variance);
  return Interval{value - half, value + half};
}

}  // namespace

absl::StatusOr<LeastSquaresFit> FitLeastSquares(const LeastSquaresProblem& problem) {
  RETURN_IF_ERROR(CheckProblem(problem));
  return Solve(problem, AllOf(problem));
}

absl::StatusOr<std::vector<double>> FitNonNegative(const LeastSquaresProblem& problem) {
  ASSIGN_OR_RETURN(const LeastSquaresFit whole, FitLeastSquares(problem));
  const size_t p = whole.parameters.size();
  std::vector<double> best(p, 0);
  double best_sum = Weighted(problem, {}).values.squaredNorm();
  for (uint64_t choice = 1; choice < uint64_t{1} << p; ++choice) {
    std::vector<int> free;
    for (size_t j = 0; j < p; ++j) {
      if ((choice >> j & 1) != 0) {
        free.push_back(static_cast<int>(j));
      }
    }
    ASSIGN_OR_RETURN(const LeastSquaresFit fit, Solve(problem, free));
    if (fit.sum_of_squares < best_sum && *std::min_element(fit.parameters.begin(), fit.parameters.end()) >= 0) {
      best_sum = fit.sum_of_squares;
      best.assign(p, 0);
      for (size_t k = 0; k < free.size(); ++k) {
        best[free[k]] = fit.parameters[k];
      }
    }
  }
  return best;
}

double Evaluate(const std::vector<double>& row, const std::vector<double>& parameters) {
  double sum = 0;
  for (size_t j = 0; j < row.size(); ++j) {
    sum += row[j] * parameters[j];
  }
  return sum;
}

double UnscaledVariance(const LeastSquaresFit& fit, const std::vector<double>& row) {
  double sum = 0;
  for (size_t j = 0; j < row.size(); ++j) {
    sum += row[j] * Evaluate(row, fit.unscaled_covariance[j]);
  }
  return std::max(sum, 0.0);
}

std::optional<Interval> ParameterInterval(const LeastSquaresFit& fit, int parameter, double confidence) {
  return Around(fit, fit.parameters[parameter], fit.unscaled_covariance[parameter][parameter], confidence);
}

std::optional<Interval> MeanInterval(const LeastSquaresFit& fit, const std::vector<double>& row, double confidence) {
  return Around(fit, Evaluate(row, fit.parameters), UnscaledVariance(fit, row), confidence);
}

std::optional<Interval> PredictionInterval(const LeastSquaresFit& fit, const std::vector<double>& row, double weight,
                                           double confidence) {
  return Around(fit, Evaluate(row, fit.parameters), UnscaledVariance(fit, row) + 1 / weight, confidence);
}

}  // namespace lockstep
