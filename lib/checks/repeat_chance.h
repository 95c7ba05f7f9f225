// Probability that two students who measured on their own print the same digits of a number.
//
// Two repeats of a measurement that lie anywhere within a width w of each other agree in all digits with the
// probability r / w, where r is the unit of the last digit, relative to the number. For w = 2 %, this is 0.05 to 0.5
// for three digits (9.99 and 1.00) and a tenth of it for four. It is 1 for two digits up to 50: 12 s and 13 s differ by
// 8 %.
//
// w = 2 % is an assumption; clocks of one class can repeat more closely. The class itself shows its noise. A number has
// a residual: its logarithm, less the median at its place, less the median of these differences over its file. The
// second median removes the factor by which one student's machine is faster. If other numbers have a residual within
// 5 % at this place, the share of them that is within half a unit estimates the probability. The larger of both
// probabilities counts. If only two students measured the same, the assumption stands alone.
#ifndef LOCKSTEP_LIB_CHECKS_REPEAT_CHANCE_H_
#define LOCKSTEP_LIB_CHECKS_REPEAT_CHANCE_H_

#include <vector>

#include "lib/checks/number_sets.h"

namespace lockstep {

// Width of the noise if the class does not show less: an assumption.
inline constexpr double kRepeatWidth = 0.02;

// Distance within which residuals are repeats of one measurement on machines of one kind.
inline constexpr double kNearResidual = 0.05;

// Smallest probability of one number, however many digits it has, so that no two numbers decide alone.
inline constexpr double kMinRepeatChance = 1e-4;

// Fills the residuals and counts of `files`, which must be all files of the class.
void FillResiduals(std::vector<NumberSet>& files);

// Returns the probability, at most 1, that two files print equal values by chance. `a` and `b` must have the same place
// and value, and counts from FillResiduals. The coarser unit counts.
double RepeatChance(const SetNumber& a, const SetNumber& b);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_REPEAT_CHANCE_H_
