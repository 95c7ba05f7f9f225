// A number with its uncertainty, and arithmetic that propagates the uncertainty.
//
// Estimates that are added are taken to be independent. Variances add up; the degrees of freedom of a sum are those of
// Welch and Satterthwaite, (sum of v)^2 / (sum of v^2/f). Source: B. L. Welch, "The generalization of 'Student's'
// problem when several different population variances are involved", Biometrika 34 (1947). Pure functions, any thread.
#ifndef LOCKSTEP_LIB_PREDICTION_ESTIMATE_H_
#define LOCKSTEP_LIB_PREDICTION_ESTIMATE_H_

#include <optional>
#include <string>

#include "lib/proto/quantity.pb.h"
#include "lib/statistics/statistics.h"

namespace lockstep {

struct Estimate {
  double value = 0;
  double variance = 0;
  double variance_squared_over_freedom = 0;  // sum of v^2/f over all inputs; 0: the variance is known exactly
};

Estimate operator+(const Estimate& a, const Estimate& b);
Estimate operator-(const Estimate& a, const Estimate& b);
Estimate operator*(double factor, const Estimate& estimate);

// Returns the mean of measured values. Its variance is that of the values over their number, plus (run_to_run_fraction
// * mean)^2 for the difference between runs. For one value only the second term exists. Returns nullopt if there are no
// values.
std::optional<Estimate> EstimateOf(const proto::Samples& samples, double run_to_run_fraction);

// Returns a number with a known variance, such as that of a rounding or of a range.
Estimate Known(double value, double variance = 0);

// Returns the variance of a uniform distribution over a range of this width: width^2 / 12.
double VarianceOfRange(double width);

// Returns Student's interval, which contains the true value at `confidence`, in (0, 1).
Interval IntervalOf(const Estimate& estimate, double confidence);

// Returns a modelled number with its interval and its method. Without a variance there is no interval, because the
// uncertainty is not known. Absent if the number is not finite.
proto::Quantity Modelled(const Estimate& estimate, double confidence, const std::string& method);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_ESTIMATE_H_
