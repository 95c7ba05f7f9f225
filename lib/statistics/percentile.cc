#include "lib/statistics/percentile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lockstep {

double Percentile(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<size_t>(rank, 1) - 1];
}

}  // namespace lockstep
