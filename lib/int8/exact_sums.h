// The sum of float values and of their squares, without rounding while it grows: the same bits whatever the order of the
// values, and in whatever parts they come.
//
// A float is an integer of 24 bits times a power of two. Integers are summed apart for each of the 512 pairs of sign and
// exponent, their squares likewise; only reading the sum rounds.
#ifndef LOCKSTEP_LIB_INT8_EXACT_SUMS_H_
#define LOCKSTEP_LIB_INT8_EXACT_SUMS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/numeric/int128.h"

namespace lockstep {

class ExactSums {
 public:
  // No NaN or infinity among the values. Up to 2^40 values in all, so that no integer overflows.
  void Add(const float* values, size_t size);

  // Rounded to double, in one fixed order of at most 255 terms: exact where they fit 53 bits together, else within
  // 2^-44 of the sum of |x|, and of the sum of squares.
  double Sum() const;
  double SumOfSquares() const;

 private:
  static constexpr size_t kBuckets = 512;  // the upper 9 bits of a float: sign and exponent

  void AddPart(const float* values, size_t size);

  std::array<uint64_t, kBuckets> sum_ = {};  // of 24-bit significands
  std::array<absl::uint128, kBuckets> sum_of_squares_ = {};
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_EXACT_SUMS_H_
