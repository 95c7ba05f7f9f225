// Terms by which an exchange is checked before training (counted_exchange.h): small integers with exact sums.
//
// The sums are compared bit for bit, so every sum, and every partial sum in any order and grouping, must be exact in
// fp32 and in bf16. bf16 has 8 significant bits: it represents all integers up to 2^8, but not 2^8 + 1. No term is
// negative, so no partial sum exceeds the whole sum, and it is enough that each element's sum is at most 2^8:
//
//   - stride = ceil(ranks / 32). Rank r has a term above 0 only in the elements i with (i + r) mod stride = 0. So at
//     most adders = ceil(ranks / stride) <= 32 ranks add to one element.
//   - Those terms are 1 to floor(2^8 / adders), so the sum is at most 2^8, for any number of ranks.
//
// With 1,024 ranks the stride is 32, and 32 ranks add terms of 1 to 8 to each element. Every rank has a term above 0 in
// each period as long as the stride is at most the period, up to 8,032 ranks; with more, the sums are still exact.
#ifndef LOCKSTEP_LIB_REDUCER_SUM_TERMS_H_
#define LOCKSTEP_LIB_REDUCER_SUM_TERMS_H_

#include <algorithm>
#include <cstdint>

namespace lockstep {

// Largest integer n such that bf16 represents all integers from 0 to n.
inline constexpr int64_t kMaxExactSum = int64_t{1} << 8;

// Number of elements after which the terms repeat. A prime, so that it divides no share of a range, and below 256, the
// number of elements of the smallest checked range.
inline constexpr int64_t kTermPeriod = 251;

// Returns the term of element `i` of `rank`, an integer from 0 to 2^7. `ranks` must be above 0, `rank` from 0 to
// `ranks` - 1, and `i` at least 0. With 2 or more ranks, at least two ranks have a term above 0 in each element, so no
// sum equals the term of a single rank.
inline int64_t SumTerm(int64_t i, int64_t rank, int64_t ranks) {
  constexpr int64_t kMaxAdders = 32;
  const int64_t stride = (ranks + kMaxAdders - 1) / kMaxAdders;
  const int64_t element = i % kTermPeriod;
  if ((element + rank) % stride != 0) {
    return 0;
  }
  // Last function of SplitMix64 (lib/dataset/counter_random.h). The seed is the first one with which no two ranks and
  // no two elements of a period have equal terms, for any number of ranks up to 1,024.
  constexpr uint64_t kSeed = 8;
  uint64_t bits = (static_cast<uint64_t>(element) << 32 | static_cast<uint64_t>(rank)) + kSeed * 0x9E3779B97F4A7C15u;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
  bits ^= bits >> 31;
  const int64_t adders = std::max<int64_t>((ranks + stride - 1) / stride, 2);  // one rank: terms like those of two
  return static_cast<int64_t>(bits % static_cast<uint64_t>(kMaxExactSum / adders)) + 1;
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REDUCER_SUM_TERMS_H_
