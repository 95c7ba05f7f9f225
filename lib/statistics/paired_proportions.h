// Two proportions counted on the same items, say the accuracies of two networks on the same images: is their difference
// chance, and how large may it be? Only the items on which the two disagree tell.
#ifndef LOCKSTEP_LIB_STATISTICS_PAIRED_PROPORTIONS_H_
#define LOCKSTEP_LIB_STATISTICS_PAIRED_PROPORTIONS_H_

#include <cstdint>

#include "lib/statistics/statistics.h"

namespace lockstep {

// Items that changed from the first to the second counting.
struct PairedChanges {
  uint64_t lost = 0;    // b: right before, wrong now
  uint64_t gained = 0;  // c: wrong before, right now
  uint64_t items = 0;   // n >= b + c
};

// McNemar's test, exact and two-sided: the probability that b + c fair coins fall at least as unevenly as b and c. 1
// when nothing changed. (Q. McNemar, Psychometrika 12, 1947; the binomial form.)
double McNemarExactP(const PairedChanges& changes);

// The interval that holds the true difference of the proportions, of which (c - b) / n is the estimate, with
// probability `confidence` in (0, 1): Tango's score interval (T. Tango, Statistics in Medicine 17, 1998). It is the set
// of all d with
//     |c - b - n d| <= z sqrt(n (2 q + d (1 - d)))
// where q is the likeliest probability of a loss if d is the true difference. It has a width also when nothing changed.
// [-1, 1] when n = 0.
Interval PairedDifferenceInterval(const PairedChanges& changes, double confidence = 0.95);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_STATISTICS_PAIRED_PROPORTIONS_H_
