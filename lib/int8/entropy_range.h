// How far a range may reach so that int8 changes the distribution of magnitudes least: the threshold of least
// Kullback-Leibler divergence.
//
// Source: S. Migacz, "8-bit inference with TensorRT", GTC 2017, with NVIDIA pytorch-quantization's reading of what the
// slides leave open (fractional bins per level; unsigned values have twice the levels; of equal thresholds the largest).
// For each number i of kept bins, from `levels` to all:
//
//   reference  P[b] = n[b] for b < i, and all counts beyond are added to P[i-1];
//   candidate  level(b) = floor(b * levels / i); Q[b] is the mean of n over the bins of b's level with n > 0, where
//              n[b] > 0; else 0. No outliers are in it.
//   P and Q are divided by their sums; D(i) = sum over P[b] > 0 of P[b] * log(P[b] / Q[b]).
//
// Q can be 0 where P is not only at b = i-1, when n[i-1] = 0 and outliers lie beyond. D(i) is then infinite, as in
// pytorch-quantization; ONNX Runtime puts 1e-4 of a count there, which makes D(i) large.
//
// One rule is our own: an i that keeps less than 90 % of the counts is no candidate. Where no magnitude is near 0, the
// first occupied bin has all that Q has and, with the outliers, all that P has: D = 0, and everything would be clipped.
#ifndef LOCKSTEP_LIB_INT8_ENTROPY_RANGE_H_
#define LOCKSTEP_LIB_INT8_ENTROPY_RANGE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep {

// How many of the bins to keep. `counts`: of magnitudes above 0, in equal bins from 0; the last is not 0. All of them
// when there are not more than `levels`. Takes time in proportion to bins * levels.
size_t LeastEntropyBins(const std::vector<uint64_t>& counts, int levels);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_ENTROPY_RANGE_H_
