#include "lib/plot/spread_apart.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace lockstep {

void SpreadApart(double gap, double low, double high, std::vector<double>& positions) {
  std::vector<size_t> order(positions.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return positions[a] < positions[b]; });
  double floor = low;
  for (const size_t i : order) {  // upwards: none is too close to the one below it
    positions[i] = std::max(positions[i], floor);
    floor = positions[i] + gap;
  }
  double ceiling = high;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {  // downwards from the upper limit
    positions[*it] = std::min(positions[*it], ceiling);
    ceiling = positions[*it] - gap;
  }
}

}  // namespace lockstep
