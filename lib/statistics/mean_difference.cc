#include "lib/statistics/mean_difference.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "lib/statistics/mean.h"

namespace lockstep {
namespace {

// Returns the square of the standard error of a group's mean. The group must have two values or more.
double SquaredError(const std::vector<double>& values, double mean) {
  double squares = 0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
  }
  const auto n = static_cast<double>(values.size());
  return squares / (n - 1) / n;
}

}  // namespace

std::optional<MeanDifference> WelchTest(const std::vector<double>& first, const std::vector<double>& second) {
  if (first.size() < 2 || second.size() < 2) {
    return std::nullopt;
  }
  const double mean_1 = Mean(first), mean_2 = Mean(second);
  const double error_1 = SquaredError(first, mean_1), error_2 = SquaredError(second, mean_2);
  const double error = std::sqrt(error_1 + error_2);
  // The bound below which R's t.test calls data "essentially constant".
  constexpr double kRounding = 10 * std::numeric_limits<double>::epsilon();
  if (!(error > kRounding * std::max(std::abs(mean_1), std::abs(mean_2)))) {
    return std::nullopt;
  }
  MeanDifference result;
  result.difference = mean_1 - mean_2;
  result.t = result.difference / error;
  const double sum = error_1 + error_2;
  result.degrees_of_freedom = sum * sum /
                              (error_1 * error_1 / static_cast<double>(first.size() - 1) +
                               error_2 * error_2 / static_cast<double>(second.size() - 1));
  const boost::math::students_t distribution(result.degrees_of_freedom);
  result.p = std::min(1.0, 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(result.t))));
  return result;
}

std::vector<double> HolmAdjusted(const std::vector<double>& p) {
  std::vector<size_t> by_size(p.size());
  std::iota(by_size.begin(), by_size.end(), size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(), [&p](size_t a, size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size());
  double largest = 0;  // largest so far: an adjusted value is never below that of a smaller p
  for (size_t i = 0; i < by_size.size(); ++i) {
    const auto left = static_cast<double>(p.size() - i);
    largest = std::max(largest, std::min(1.0, left * p[by_size[i]]));
    adjusted[by_size[i]] = largest;
  }
  return adjusted;
}

}  // namespace lockstep
