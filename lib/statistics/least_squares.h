// Linear least squares with weights: parameters, their covariance, and the intervals that follow.
//
// Model: y_i = sum_j x_ij p_j + e_i, the e_i independent and normal with variance s^2 / w_i. Under this model the
// intervals below contain the true value exactly at their stated rate. s^2 is estimated from the residuals. Source: G.
// Seber and A. Lee, "Linear regression analysis", 2nd ed. (2003), chapters 3 to 5. Solved by Eigen's QR with column
// pivoting, on columns scaled to length 1, so that parameters may differ by any power of ten. Pure functions, any
// thread.
#ifndef LOCKSTEP_LIB_STATISTICS_LEAST_SQUARES_H_
#define LOCKSTEP_LIB_STATISTICS_LEAST_SQUARES_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/statistics/statistics.h"

namespace lockstep {

// n observations of p parameters.
struct LeastSquaresProblem {
  std::vector<std::vector<double>> rows;  // (n, p)
  std::vector<double> values;             // (n)
  std::vector<double> weights;            // (n), each > 0; empty: all 1
};

struct LeastSquaresFit {
  std::vector<double> parameters;                        // (p)
  std::vector<std::vector<double>> unscaled_covariance;  // (p, p): (X' W X)^-1; times s^2 it is the covariance
  double sum_of_squares = 0;                             // sum over the weighted residuals
  int degrees_of_freedom = 0;                            // n - p
};

// InvalidArgument: no parameters, fewer observations than parameters, shapes that do not match, a weight that is not
// above 0, a number that is not finite, or columns that are linearly dependent, so that no parameters are the best.
absl::StatusOr<LeastSquaresFit> FitLeastSquares(const LeastSquaresProblem& problem);

// Returns the best parameters among those that are all >= 0: the best of the fits with some of them held at 0. For few
// parameters: tries all 2^p choices. Errors as above.
absl::StatusOr<std::vector<double>> FitNonNegative(const LeastSquaresProblem& problem);

// Returns x . p for one row of the design.
double Evaluate(const std::vector<double>& row, const std::vector<double>& parameters);

// Returns x' (X' W X)^-1 x; times s^2 it is the variance of x . p.
double UnscaledVariance(const LeastSquaresFit& fit, const std::vector<double>& row);

// Return Student-t intervals of one parameter, of x . p, and of a new observation at x of weight `weight`; nullopt if
// there are no degrees of freedom. `confidence` must be in (0, 1).
std::optional<Interval> ParameterInterval(const LeastSquaresFit& fit, int parameter, double confidence);
std::optional<Interval> MeanInterval(const LeastSquaresFit& fit, const std::vector<double>& row, double confidence);
std::optional<Interval> PredictionInterval(const LeastSquaresFit& fit, const std::vector<double>& row, double weight,
                                           double confidence);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_STATISTICS_LEAST_SQUARES_H_
