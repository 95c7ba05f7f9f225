// Statistical functions that fits need, from Boost.Math. Pure functions, any thread.
#ifndef LOCKSTEP_LIB_STATISTICS_STATISTICS_H_
#define LOCKSTEP_LIB_STATISTICS_STATISTICS_H_

#include <vector>

namespace lockstep {

// low <= high; either may be infinite.
struct Interval {
  double low = 0;
  double high = 0;
};

// Returns half the width, in standard errors, of a two-sided interval that contains the true value with probability
// `confidence`, if the standard error was estimated with `degrees_of_freedom`. `confidence` must be in (0, 1);
// `degrees_of_freedom` must be > 0 and need not be whole.
double StudentTFactor(double confidence, double degrees_of_freedom);

// Returns the median; the mean of the two middle values if their number is even. `values` must not be empty.
double Median(std::vector<double> values);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_STATISTICS_STATISTICS_H_
