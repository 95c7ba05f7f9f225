// Two sets of measured numbers, compared at equal places: the rule that decides that they are mostly equal.
//
// Let n be the number of places (with repeats) that both sets have, and k the number of values that are equal there.
// The sets are mostly equal if
//   - k is at least 5: nothing can be claimed about smaller tables;
//   - at most a third of the n numbers differs;
//   - C(n, k) * (n / 3 + 1) * (product of the k probabilities) is at most 0.001 / (number of pairs of sets).
// The product is the probability that these k numbers agree by chance (repeat_chance.h). C(n, k) is the number of ways
// to choose k of n numbers, and n / 3 + 1 the number of values of k that the second condition allows. By the union
// bound, the left side is at most the probability of an alarm about one pair, and 0.001 is the probability of an alarm
// in an honest class. A class of 100 students with a table each has 4,950 pairs, so the limit of a pair is 2e-7. Twelve
// numbers with one change are at
//   - 12 * 5 * 0.05^11 = 3e-13 if they have four digits near 1.000; with three changes at 220 * 5 * 0.05^9 = 2e-9;
//   - 12 * 5 * 0.1^11 = 6e-10 if they have three digits near 5.00, and 12 * 5 * 0.5^11 = 0.03, no alarm, near 1.00.
#ifndef LOCKSTEP_LIB_CHECKS_NUMBER_AGREEMENT_H_
#define LOCKSTEP_LIB_CHECKS_NUMBER_AGREEMENT_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "lib/checks/number_sets.h"

namespace lockstep {

// Smallest number of equal numbers of two sets that are mostly equal.
inline constexpr size_t kMinEqualNumbers = 5;

// Largest probability of an alarm in an honest class.
inline constexpr double kFalseAlarm = 0.001;

struct NumberAgreement {
  size_t common = 0;      // n
  size_t equal = 0;       // k
  double log_chance = 0;  // natural logarithm of the product of the probabilities
  // The other numbers at common places: those of the first set and of the second.
  std::vector<std::pair<const MeasuredNumber*, const MeasuredNumber*>> different;
};

// Compares two sets. If a place occurs several times in a set, equal values are paired first, the others in ascending
// order; each probability is then multiplied by the number of values with which it was compared.
NumberAgreement CompareNumbers(const NumberSet& first, const NumberSet& second);

// Returns true if the rule above calls two sets mostly equal. `pairs` must be the number of pairs of sets that have
// kMinEqualNumbers or more.
bool IsMostlyEqual(const NumberAgreement& agreement, double pairs);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_NUMBER_AGREEMENT_H_
