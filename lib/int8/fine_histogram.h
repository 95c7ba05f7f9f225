// Counts of float values in fine bins, collected in one pass; the range of the values need not be known beforehand.
//
// Bins. Each side of 0 has 2,048 bins of one width w, a power of two. Bin m >= 0 holds m*w <= x < (m+1)*w. Bin -1-m
// holds the mirrored range m*w <= -x < (m+1)*w, but not 0 itself, which is in bin 0. The width is the smallest power of
// two, from 2^-126 on, with max|x| < 2048*w. If w is larger than 2^-126, at least 1,024 bins therefore lie below
// max|x|.
//
// Growth. A larger value doubles w as often as needed. Bins 2m and 2m+1 together are bin m of the double width, because
// floor(floor(|x| / w) / 2) = floor(|x| / 2w), and |x| / w is exact for a power of two. Thus whole counts move, 0 stays
// an edge, and each value is counted in the bin that it would have had if the last width had been the first. The counts
// depend on the values alone, not on their order or on their division into calls.
#ifndef LOCKSTEP_LIB_INT8_FINE_HISTOGRAM_H_
#define LOCKSTEP_LIB_INT8_FINE_HISTOGRAM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/int8/exact_sums.h"
#include "lib/int8/histogram.h"
#include "lib/proto/quantity.pb.h"

namespace lockstep {

// Not thread-safe.
class FineHistogram {
 public:
  static constexpr int kBinsPerSide = 2048;

  void Add(const float* values, size_t size);

  // Number of NaNs and infinities; all other results leave these values out.
  uint64_t not_finite() const { return not_finite_; }
  bool finite() const { return not_finite_ == 0; }

  uint64_t size() const { return size_; }
  uint64_t zeros() const { return zeros_; }  // counts +0 and -0
  double min() const { return min_; }        // exact; 0 before the first value
  double max() const { return max_; }
  double MaxAbs() const;
  double Sum() const { return sums_.Sum(); }
  double SumOfSquares() const { return sums_.SumOfSquares(); }
  double Mean() const;               // 0 before the first value
  double StandardDeviation() const;  // population standard deviation
  double ThreeSigma() const;         // |mean| + 3 standard deviations: the farther end of the 3-sigma range

  double width() const;           // the bin width w
  uint64_t Count(int bin) const;  // bin in [-kBinsPerSide, kBinsPerSide); bin 0 includes the zeros
  uint64_t NonZeros(int bin) const;

  // Returns a histogram for plots: equal bins over [min, max], as EmptyHistogram makes them. Zeros go to the bin that
  // holds 0. The other values of a fine bin are taken as evenly spread over the part of the bin within [min, max]. If
  // an edge of a plot bin divides a fine bin, the count below the edge is rounded to an integer and the rest lies
  // above, so that the total is kept. A fine bin between two edges is counted exactly.
  proto::Histogram ToHistogram(uint32_t bins = kHistogramBins) const;

 private:
  // Number of tables of counts. Neighbouring values use the tables in turn: with one table, equal neighbours (zeros
  // after ReLU) would wait for each other.
  static constexpr int kTables = 2;

  void AddPart(const float* values, size_t size);
  void AddFiniteOnes(const float* values, size_t size);
  void Grow(double max_abs);
  void CountValues(const float* values, size_t size);
  uint64_t PartBelow(int bin, double edge) const;  // part of NonZeros(bin) below `edge`

  std::vector<uint64_t> counts_ = std::vector<uint64_t>(size_t{kTables} * 2 * kBinsPerSide);
  int exponent_ = -126;  // w = 2^exponent
  uint64_t size_ = 0;
  uint64_t not_finite_ = 0;
  uint64_t zeros_ = 0;
  double min_ = 0;
  double max_ = 0;
  ExactSums sums_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_FINE_HISTOGRAM_H_
