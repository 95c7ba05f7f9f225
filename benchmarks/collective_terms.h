// Values by which gpu_all_reduce_benchmark checks a collective: integers whose sums over the ranks are exact.
#ifndef LOCKSTEP_BENCHMARKS_COLLECTIVE_TERMS_H_
#define LOCKSTEP_BENCHMARKS_COLLECTIVE_TERMS_H_

#include <algorithm>
#include <cstdint>

namespace lockstep {

enum class TermType { kBfloat16, kFloat };

// Returns the largest term for sums over `ranks` ranks. Terms are integers from 1 to this number, so
//   - every partial sum is an integer that the type represents exactly (bf16: up to 2^8, fp32: up to 2^24), in any
//     order of the additions;
//   - no sum equals a single term, so an element that a collective did not write is always wrong.
// Returns 0 if `ranks` is above 2^8 or 2^24: no sum could be checked. `ranks` must be above 0.
inline int64_t MaxTerm(TermType type, int ranks) {
  const bool bf16 = type == TermType::kBfloat16;
  const int64_t max_exact = bf16 ? 1 << 8 : 1 << 24;
  return std::min<int64_t>(bf16 ? 31 : 524287, max_exact / ranks);
}

// Largest index of a term: kTermStep times this index has 63 bits.
inline constexpr int64_t kMaxTermIndex = (int64_t{1} << 31) - 1;

// Differences between the terms of neighbouring elements and of neighbouring ranks, before the remainder: primes that
// are no multiple of any MaxTerm above 1.
inline constexpr int64_t kTermStep = 2654435761;
inline constexpr int64_t kRankStep = 40507;

// Returns the term of element `i` of a rank; `i` must be at most kMaxTermIndex. Neighbouring elements and neighbouring
// ranks have different terms if `max_term` is above 1.
inline int64_t TermOf(int64_t i, int rank, int64_t max_term) {
  return (i * kTermStep + rank * kRankStep) % max_term + 1;
}

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_COLLECTIVE_TERMS_H_
