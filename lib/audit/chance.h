// Computes how likely conventions give printed numbers by chance.
//
// The question is asked of numbers that mean nothing: they have the size and the number of digits of the printed ones,
// and random digits. One convention gives such a number with the probability ShareOf, and g of k numbers with about
// (k over g) * the product of their g probabilities. Every convention that is as plain was tried as well, with the inputs
// of every table and in several styles of printing, so this is multiplied by their number (Bonferroni):
//   - Conventions that make the same values count once.
//   - Conventions that make numbers of another size do not count, because they could not have given the printed ones.
#ifndef LOCKSTEP_LIB_AUDIT_CHANCE_H_
#define LOCKSTEP_LIB_AUDIT_CHANCE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/published/printed_number.h"

namespace lockstep {

// Chance from which on a convention that was searched for is not believed.
inline constexpr double kSearchLevel = 0.01;

// The same for the plain formula of a quantity where the document has only one set of inputs for it. Nothing is searched
// for then, and the usual level of a single test is enough.
inline constexpr double kOnlyFormulaLevel = 0.05;

// The same where these inputs stand in the number's own table: two digits are enough.
inline constexpr double kOwnTableLevel = 0.1;

// Returns the share of random numbers of the size of `printed` that a value gives which may be off by `slack`; at most 1.
double ShareOf(const PrintedNumber& printed, double slack = 0);

// Returns true if `value` is of the size of the printed number: from half of it to its double, or within one unit of its
// last digit. Other values give no digits of a number of this size, whatever these are.
bool IsOfSize(double value, const PrintedNumber& printed);

// Returns the probability that some convention gives numbers by chance, at most 1: as many of `cells` numbers as there
// are `shares`, each of which is what ShareOf returned. `tried` is the number of different conventions, in all styles.
double ChanceOf(double tried, size_t cells, const std::vector<double>& shares);

// Returns a number that is the same for values of the same sequence that agree in ten digits, and hardly ever for
// others. `fingerprint` is that of the values before `value`, or 0.
uint64_t Fingerprint(uint64_t fingerprint, size_t position, double value);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_CHANCE_H_
