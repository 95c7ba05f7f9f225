// The mean of a list, a vector's or a repeated field's.
#ifndef LOCKSTEP_LIB_STATISTICS_MEAN_H_
#define LOCKSTEP_LIB_STATISTICS_MEAN_H_

#include <numeric>

namespace lockstep {

// 0 when there are no values.
template <typename Values>
double Mean(const Values& values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_STATISTICS_MEAN_H_
