// Medians and percentiles of measured times.
#ifndef LOCKSTEP_BENCHMARKS_QUANTILE_H_
#define LOCKSTEP_BENCHMARKS_QUANTILE_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace lockstep {

// Returns the measured value nearest to rank q, which must be in [0, 1]. There must be at least one value.
inline double Quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_QUANTILE_H_
