// Counts values into equal bins.
#ifndef LOCKSTEP_LIB_INT8_HISTOGRAM_H_
#define LOCKSTEP_LIB_INT8_HISTOGRAM_H_

#include <cstddef>
#include <cstdint>

#include "lib/proto/quantity.pb.h"

namespace lockstep {

// What the lab's plots have: plt.hist(..., bins=100).
inline constexpr uint32_t kHistogramBins = 100;

// An empty histogram over [low, high]. When low == high it is widened to [low - 0.5, high + 0.5], as numpy does.
proto::Histogram EmptyHistogram(double low, double high, uint32_t bins = kHistogramBins);

// Counts values into `histogram`, made by EmptyHistogram. Infinities are outside; NaN must not occur.
void AddToHistogram(const float* values, size_t size, proto::Histogram& histogram);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_HISTOGRAM_H_
