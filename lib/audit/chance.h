// Computes how likely conventions give printed numbers by chance.
//
// The probability is computed for random numbers that have the size and the number of digits of the printed ones. One
// convention gives such a number with probability ShareOf, and g of k numbers with about (k over g) * the product of
// their g probabilities. All conventions that are at least as plain were tried, too, with the inputs of every table and
// in several styles of printing, so the result is multiplied by their number (Bonferroni):
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

// Same level for the plain formula of a quantity if the document has only one set of inputs for it: nothing is searched
// for, so the usual level of a single test is enough.
inline constexpr double kOnlyFormulaLevel = 0.05;

// Same level if these inputs are in the number's own table: two digits are enough.
inline constexpr double kOwnTableLevel = 0.1;

// Returns the share of random numbers of the size of `printed` that a value gives if it may be off by `slack`; at most
// 1.
double ShareOf(const PrintedNumber& printed, double slack = 0);

// Returns true if `value` has the size of the printed number: between half and twice the number, or within one unit of
// its last digit. Other values cannot give any number of this size.
bool IsOfSize(double value, const PrintedNumber& printed);

// Returns the probability, at most 1, that some convention gives as many of `cells` numbers by chance as `shares` has
// elements. Each share must be a result of ShareOf. `tried` is the number of different conventions, over all styles.
double ChanceOf(double tried, size_t cells, const std::vector<double>& shares);

// Returns a hash that is equal for sequences of values that agree in ten digits, and hardly ever for others.
// `fingerprint` must be the hash of the values before `value`, or 0.
uint64_t Fingerprint(uint64_t fingerprint, size_t position, double value);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_CHANCE_H_
