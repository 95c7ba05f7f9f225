// A mean with the extremes of single measurements around it, and the arithmetic that carries the extremes along.
//
// Extremes, not a confidence interval: with two to five epochs nothing is assumed of their distribution. A sum or a
// quotient takes the extremes of both operands at once, so the true spread is never wider than what is shown.
#ifndef LOCKSTEP_LIB_STATISTICS_SPREAD_H_
#define LOCKSTEP_LIB_STATISTICS_SPREAD_H_

#include <optional>

#include "lib/proto/quantity.pb.h"

namespace lockstep {

// low <= mean <= high; all equal and `repeated` false when there was one measurement only.
struct Spread {
  double mean = 0;
  double low = 0;
  double high = 0;
  bool repeated = false;  // some operand was measured more than once
};

// Nothing when there are no samples.
std::optional<Spread> SpreadOf(const proto::Samples& samples);

Spread Exactly(double value);
Spread operator*(double factor, const Spread& spread);  // factor >= 0
Spread operator-(const Spread& a, const Spread& b);

// a / b. Nothing when some value of `b` is not positive: the quotient would have no bounds.
std::optional<Spread> Quotient(const Spread& a, const Spread& b);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_STATISTICS_SPREAD_H_
