// Range threshold with the least Kullback-Leibler divergence: int8 then changes the distribution of magnitudes least.
//
// Source: S. Migacz, "8-bit inference with TensorRT", GTC 2017. Details that the slides leave open follow NVIDIA's
// pytorch-quantization: fractional bins per level, twice the levels for unsigned values, and the largest of equal
// thresholds. For each number i of kept bins, from `levels` to all bins:
//
//   reference  P[b] = n[b] for b < i; all counts beyond are added to P[i-1];
//   candidate  level(b) = floor(b * levels / i); Q[b] is the mean of n over the bins of b's level with n > 0, where
//              n[b] > 0; else 0. Q contains no outliers.
//   P and Q are divided by their sums; D(i) = sum over P[b] > 0 of P[b] * log(P[b] / Q[b]).
//
// At b = i-1, and only there, Q can be 0 where P is not: if n[i-1] = 0 and outliers lie beyond. D(i) is then infinite,
// as in pytorch-quantization; ONNX Runtime puts 1e-4 of a count there, which makes D(i) large.
//
// One rule is our own: an i that keeps less than 90 % of the counts is not a candidate. Otherwise, if no magnitude is
// near 0, an i that ends at the first occupied bin gives D = 0, because that bin then holds all of Q and, with the
// outliers, all of P; everything would be clipped.
#ifndef LOCKSTEP_LIB_INT8_ENTROPY_RANGE_H_
#define LOCKSTEP_LIB_INT8_ENTROPY_RANGE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep {

// Returns the number of bins to keep. `counts`: counts of magnitudes above 0, in equal bins from 0; the last count must
// not be 0. Returns counts.size() if that is not more than `levels`. Takes O(bins * levels) time.
size_t MinDivergenceBins(const std::vector<uint64_t>& counts, int levels);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_ENTROPY_RANGE_H_
