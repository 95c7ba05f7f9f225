// Sum of float values and sum of their squares, accumulated without rounding: the result has the same bits for any
// order of the values and any division into calls.
//
// A float is a 24-bit integer times a power of two. For each of the 512 pairs of sign and exponent, the integers and
// their squares are summed separately; rounding happens only when a sum is read.
#ifndef LOCKSTEP_LIB_INT8_EXACT_SUMS_H_
#define LOCKSTEP_LIB_INT8_EXACT_SUMS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/numeric/int128.h"

namespace lockstep {

class ExactSums {
 public:
  // Adds `size` values. No value may be NaN or infinite. At most 2^40 values may be added in all, so that no integer
  // overflows.
  void Add(const float* values, size_t size);

  // Return the sums rounded to double, adding at most 255 terms in one fixed order. A result is exact if its terms fit
  // 53 bits together; otherwise it is within 2^-44 of the sum of |x|, or of the sum of squares.
  double Sum() const;
  double SumOfSquares() const;

 private:
  static constexpr size_t kBuckets = 512;  // the upper 9 bits of a float: sign and exponent

  void AddPart(const float* values, size_t size);

  std::array<uint64_t, kBuckets> sum_ = {};  // sums of 24-bit significands
  std::array<absl::uint128, kBuckets> sum_of_squares_ = {};
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_EXACT_SUMS_H_
