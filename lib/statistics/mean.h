// Mean of a list, such as a vector or a repeated field.
#ifndef LOCKSTEP_LIB_STATISTICS_MEAN_H_
#define LOCKSTEP_LIB_STATISTICS_MEAN_H_

#include <numeric>

namespace lockstep {

// Returns 0 if there are no values.
template <typename Values>
double Mean(const Values& values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_STATISTICS_MEAN_H_
