// Percentiles by nearest rank, so that each percentile is a measured value.
#ifndef LOCKSTEP_LIB_STATISTICS_PERCENTILE_H_
#define LOCKSTEP_LIB_STATISTICS_PERCENTILE_H_

#include <vector>

namespace lockstep {

// Returns the smallest value of `sorted` such that at least the fraction `share` of the values do not exceed it; for
// 0.5 the median, the lower one if their number is even. `sorted` must not be empty, and `share` must be in [0, 1].
double Percentile(const std::vector<double>& sorted, double share);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_STATISTICS_PERCENTILE_H_
