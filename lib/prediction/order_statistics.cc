#include "lib/prediction/order_statistics.h"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

namespace lockstep {

double ExpectedMaximum(uint32_t count) {
  if (count <= 1) {
    return 0;
  }
  const boost::math::normal normal;
  const auto integrand = [&](double x) { return x * count * pdf(normal, x) * std::pow(cdf(normal, x), count - 1.0); };
  // Outside this range the integrand is below 1e-20 for every count of 32 bits.
  constexpr double kReach = 12;
  constexpr unsigned kMaxHalvings = 12;
  constexpr double kTolerance = 1e-10;
  return boost::math::quadrature::gauss_kronrod<double, 31>::integrate(integrand, -kReach, kReach, kMaxHalvings,
                                                                       kTolerance);
}

double ExpectedRange(uint32_t count) { return 2 * ExpectedMaximum(count); }

}  // namespace lockstep
