// A number with its uncertainty, and the arithmetic that carries it along.
//
// Estimates that are added are taken as independent. Variances add up; the degrees of freedom of a sum are Welch's and
// Satterthwaite's, (sum of v)^2 / (sum of v^2/f). Source: B. L. Welch, "The generalization of 'Student's' problem when
// several different population variances are involved", Biometrika 34 (1947). Pure functions, any thread.
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
  double variance_squared_over_freedom = 0;  // sum of v^2/f over all that went in; 0: the variance is known exactly
};

Estimate operator+(const Estimate& a, const Estimate& b);
Estimate operator-(const Estimate& a, const Estimate& b);
Estimate operator*(double factor, const Estimate& estimate);

// The mean of measured values: its variance is theirs over their number, plus (run_to_run_fraction * mean)^2 for what a
// single run cannot show. Of one value that second part is all. Nothing when there are no values.
std::optional<Estimate> EstimateOf(const proto::Samples& samples, double run_to_run_fraction);

// A number with a variance that is known: of a rounding, of a range.
Estimate Known(double value, double variance = 0);

// The variance of what lies anywhere in a range of this width with equal likelihood: width^2 / 12.
double VarianceOfRange(double width);

// Student's interval that holds the true value at `confidence`, in (0, 1).
Interval IntervalOf(const Estimate& estimate, double confidence);

// A modelled number with its interval, and how it came about. Without a variance it has none: what is uncertain of it
// is not known. Absent when it is not finite.
proto::Quantity Modelled(const Estimate& estimate, double confidence, const std::string& method);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_ESTIMATE_H_
