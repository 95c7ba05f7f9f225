// Comparison of two proportions counted on the same items, such as the accuracies of two networks on the same images: a
// test of whether their difference is chance, and its interval. Only items on which the two disagree matter.
#ifndef LOCKSTEP_LIB_STATISTICS_PAIRED_PROPORTIONS_H_
#define LOCKSTEP_LIB_STATISTICS_PAIRED_PROPORTIONS_H_

#include <cstdint>

#include "lib/statistics/statistics.h"

namespace lockstep {

// Items that changed from the first to the second counting.
struct PairedChanges {
  uint64_t lost = 0;    // b: right before, wrong now
  uint64_t gained = 0;  // c: wrong before, right now
  uint64_t items = 0;   // n, must be >= b + c
};

// Returns the p-value of McNemar's test, exact and two-sided: the probability that b + c fair coins fall at least as
// unevenly as b and c. 1 if nothing changed. (Q. McNemar, Psychometrika 12, 1947; the binomial form.)
double McNemarExactP(const PairedChanges& changes);

// Returns the interval that contains the true difference of the proportions with probability `confidence`, which must
// be in (0, 1). The estimate is (c - b) / n. This is Tango's score interval (T. Tango, Statistics in Medicine 17,
// 1998): the set of all d with
//     |c - b - n d| <= z sqrt(n (2 q + d (1 - d)))
// where q is the likeliest probability of a loss if d is the true difference. The interval has a width even if nothing
// changed. [-1, 1] if n = 0.
Interval PairedDifferenceInterval(const PairedChanges& changes, double confidence = 0.95);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_STATISTICS_PAIRED_PROPORTIONS_H_
