// The few numbers of statistics that fits need, from Boost.Math. Pure functions, any thread.
#ifndef LOCKSTEP_LIB_STATISTICS_STATISTICS_H_
#define LOCKSTEP_LIB_STATISTICS_STATISTICS_H_

#include <vector>

namespace lockstep {

// low <= high; either may be infinite.
struct Interval {
  double low = 0;
  double high = 0;
};

// Half the width, in standard errors, of a two-sided interval that holds the truth with probability `confidence`, which
// is in (0, 1), when the standard error was estimated with so many (> 0, whole or not) degrees of freedom.
double StudentTFactor(double confidence, double degrees_of_freedom);

// The mean of the two middle ones when their number is even. `values` is not empty.
double Median(std::vector<double> values);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_STATISTICS_STATISTICS_H_
