#include "lib/statistics/paired_proportions.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace lockstep {
namespace {

// Returns the number of standard deviations that c - b lies above its expectation if `difference` is true. Falls as
// `difference` grows.
double Score(const PairedChanges& changes, double difference) {
  const auto b = static_cast<double>(changes.lost), c = static_cast<double>(changes.gained);
  const auto n = static_cast<double>(changes.items);
  // The likelihood of (b, c) under q and q + d has its maximum where 2n q^2 + linear q + constant = 0.
  const double linear = (2 * n + b - c) * difference - b - c;
  const double constant = -b * difference * (1 - difference);
  const double root = std::sqrt(std::max(0.0, linear * linear - 8 * n * constant));
  // Two forms of the larger solution; each is without cancellation on its side.
  const double q = linear > 0 ? -2 * constant / (root + linear) : (root - linear) / (4 * n);
  const double variance = n * (2 * q + difference * (1 - difference));
  const double distance = c - b - n * difference;
  return distance == 0 ? 0 : distance / std::sqrt(std::max(0.0, variance));
}

// Returns the difference in [low, high] at which the score falls through `target`, to the last bit of 1.
double Solve(const PairedChanges& changes, double target, double low, double high) {
  for (int halving = 0; halving < 54; ++halving) {
    const double middle = (low + high) / 2;
    (Score(changes, middle) > target ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double McNemarExactP(const PairedChanges& changes) {
  const auto all = static_cast<double>(changes.lost + changes.gained);
  const auto fewer = static_cast<double>(std::min(changes.lost, changes.gained));
  return std::min(1.0, 2 * boost::math::cdf(boost::math::binomial(all, 0.5), fewer));
}

Interval PairedDifferenceInterval(const PairedChanges& changes, double confidence) {
  if (changes.items == 0) {
    return {-1, 1};
  }
  const double z = boost::math::quantile(boost::math::complement(boost::math::normal(), (1 - confidence) / 2));
  const double estimate =
      (static_cast<double>(changes.gained) - static_cast<double>(changes.lost)) / static_cast<double>(changes.items);
  return {estimate > -1 ? Solve(changes, z, -1, estimate) : -1, estimate < 1 ? Solve(changes, -z, estimate, 1) : 1};
}

}  // namespace lockstep
