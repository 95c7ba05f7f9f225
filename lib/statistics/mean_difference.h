// Tests whether the difference between the means of two groups is more than chance: Welch's t-test, and Holm's
// correction for several such tests at once. Pure functions, any thread.
#ifndef LOCKSTEP_LIB_STATISTICS_MEAN_DIFFERENCE_H_
#define LOCKSTEP_LIB_STATISTICS_MEAN_DIFFERENCE_H_

#include <optional>
#include <vector>

namespace lockstep {

struct MeanDifference {
  double difference = 0;          // mean of the first group minus mean of the second
  double t = 0;                   // the difference in standard errors
  double degrees_of_freedom = 0;  // Welch-Satterthwaite; not whole in general
  double p = 1;                   // probability of a |t| at least as large if the means are equal
};

// Tests whether two groups have the same mean; their variances may differ (B. L. Welch, Biometrika 34, 1947). Returns no
// value if a group has fewer than two values, or if no value differs from its group's mean by more than rounding: then
// there is no spread to compare the difference with.
std::optional<MeanDifference> WelchTest(const std::vector<double>& first, const std::vector<double>& second);

// Adjusts the p-values of several tests, in the order given: if each value below 0.05 is called a difference, the
// probability of at least one wrong call is at most 5 %, whatever the tests have in common (S. Holm, Scandinavian
// Journal of Statistics 6, 1979).
std::vector<double> HolmAdjusted(const std::vector<double>& p);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_STATISTICS_MEAN_DIFFERENCE_H_
