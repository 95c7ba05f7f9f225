#include "lib/prediction/estimate.h"

#include <boost/math/statistics/univariate_statistics.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/statistics/quantity.h"

namespace lockstep {
namespace {

// Returns the number of standard deviations that a two-sided interval reaches. A variance that is known exactly has
// infinitely many degrees of freedom. Fewer than one degree of freedom cannot be computed with, and are taken as one.
// This also covers squares outside the range of a double.
double Reach(const Estimate& estimate, double confidence) {
  double freedom = std::numeric_limits<double>::infinity();
  if (estimate.variance_squared_over_freedom > 0) {
    const double root = estimate.variance / std::sqrt(estimate.variance_squared_over_freedom);
    freedom = root >= 1 ? root * root : 1;
  }
  return StudentTFactor(confidence, freedom);
}

}  // namespace

Estimate operator+(const Estimate& a, const Estimate& b) {
  return {a.value + b.value, a.variance + b.variance,
          a.variance_squared_over_freedom + b.variance_squared_over_freedom};
}

Estimate operator-(const Estimate& a, const Estimate& b) { return a + -1.0 * b; }

Estimate operator*(double factor, const Estimate& estimate) {
  const double squared = factor * factor;
  return {factor * estimate.value, squared * estimate.variance,
          squared * squared * estimate.variance_squared_over_freedom};
}

std::optional<Estimate> EstimateOf(const proto::Samples& samples, double run_to_run_fraction) {
  const std::vector<double> values(samples.value().begin(), samples.value().end());
  if (values.empty()) {
    return std::nullopt;
  }
  const double mean = boost::math::statistics::mean(values);
  const double run_to_run = run_to_run_fraction * mean;
  Estimate estimate = Known(mean, run_to_run * run_to_run);
  if (values.size() > 1) {
    const double count = static_cast<double>(values.size());
    const double variance = boost::math::statistics::sample_variance(values) / count;
    estimate = estimate + Estimate{0, variance, variance * variance / (count - 1)};
  }
  return estimate;
}

Estimate Known(double value, double variance) { return {value, variance, 0}; }

double VarianceOfRange(double width) { return width * width / 12; }

Interval IntervalOf(const Estimate& estimate, double confidence) {
  const double half = Reach(estimate, confidence) * std::sqrt(estimate.variance);
  return {estimate.value - half, estimate.value + half};
}

proto::Quantity Modelled(const Estimate& estimate, double confidence, const std::string& method) {
  const Interval interval = IntervalOf(estimate, confidence);
  if (!std::isfinite(estimate.value) || !std::isfinite(interval.low) || !std::isfinite(interval.high)) {
    return Absent(absl::StrCat("comes out as ", estimate.value, ": ", method));
  }
  proto::Quantity quantity;
  quantity.set_value(estimate.value);
  quantity.set_provenance(proto::MODELLED);
  quantity.set_method(method);
  if (estimate.variance > 0) {
    quantity.set_low(interval.low);
    quantity.set_high(interval.high);
    quantity.set_method(absl::StrCat(method, "; interval: ", 100 * confidence, " %"));
  }
  return quantity;
}

}  // namespace lockstep
