#include "lib/statistics/statistics.h"

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/statistics/univariate_statistics.hpp>

namespace lockstep {

double StudentTFactor(double confidence, double degrees_of_freedom) {
  return boost::math::quantile(
      boost::math::complement(boost::math::students_t(degrees_of_freedom), (1 - confidence) / 2));
}

double Median(std::vector<double> values) { return boost::math::statistics::median(values); }

}  // namespace lockstep
