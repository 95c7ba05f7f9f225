#include "lib/int8/histogram.h"

#include <algorithm>

namespace lockstep {

proto::Histogram EmptyHistogram(double low, double high, uint32_t bins) {
  proto::Histogram histogram;
  histogram.set_low(low == high ? low - 0.5 : low);
  histogram.set_high(low == high ? high + 0.5 : high);
  histogram.mutable_count()->Resize(static_cast<int>(bins), 0);
  return histogram;
}

void AddToHistogram(const float* values, size_t size, proto::Histogram& histogram) {
  const double low = histogram.low(), high = histogram.high();
  const int bins = histogram.count_size();
  const double bins_per_unit = bins / (high - low);
  uint64_t* const counts = histogram.mutable_count()->mutable_data();
  uint64_t below = 0, above = 0;
  for (size_t i = 0; i < size; ++i) {
    const double value = values[i];
    if (value < low) {
      ++below;
    } else if (value > high) {
      ++above;
    } else {
      ++counts[std::min(static_cast<int>((value - low) * bins_per_unit), bins - 1)];
    }
  }
  histogram.set_below(histogram.below() + below);
  histogram.set_above(histogram.above() + above);
}

}  // namespace lockstep
