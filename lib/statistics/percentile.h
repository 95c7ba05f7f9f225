// Percentiles by nearest rank, which are values that were really measured.
#ifndef LOCKSTEP_LIB_STATISTICS_PERCENTILE_H_
#define LOCKSTEP_LIB_STATISTICS_PERCENTILE_H_

#include <vector>

namespace lockstep {

// Returns the smallest of `sorted` that no less than `share` of them do not exceed: of 0.5 the median, the lower one of an
// even number. `sorted` must not be empty, and `share` must be in [0, 1].
double Percentile(const std::vector<double>& sorted, double share);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_STATISTICS_PERCENTILE_H_
