// Histograms with equal bins.
#ifndef LOCKSTEP_LIB_INT8_HISTOGRAM_H_
#define LOCKSTEP_LIB_INT8_HISTOGRAM_H_

#include <cstddef>
#include <cstdint>

#include "lib/proto/quantity.pb.h"

namespace lockstep {

// Number of bins in the lab's plots: plt.hist(..., bins=100).
inline constexpr uint32_t kHistogramBins = 100;

// Returns an empty histogram over [low, high]. If low == high, the range becomes [low - 0.5, high + 0.5], as in numpy.
proto::Histogram EmptyHistogram(double low, double high, uint32_t bins = kHistogramBins);

// Counts values into `histogram`, made by EmptyHistogram. Infinities count as outside; no value may be NaN.
void AddToHistogram(const float* values, size_t size, proto::Histogram& histogram);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_HISTOGRAM_H_
