// A mean with the extremes of single measurements, and arithmetic that propagates the extremes.
//
// The range is the extremes, not a confidence interval: with two to five epochs nothing is assumed of their
// distribution. A sum or a quotient takes the extremes of both operands at once, so the true spread is never wider than
// the range.
#ifndef LOCKSTEP_LIB_STATISTICS_SPREAD_H_
#define LOCKSTEP_LIB_STATISTICS_SPREAD_H_

#include <optional>

#include "lib/proto/quantity.pb.h"

namespace lockstep {

// low <= mean <= high. If there was only one measurement, all are equal and `repeated` is false.
struct Spread {
  double mean = 0;
  double low = 0;
  double high = 0;
  bool repeated = false;  // some operand was measured more than once
};

// Returns nullopt if there are no samples.
std::optional<Spread> SpreadOf(const proto::Samples& samples);

Spread Exactly(double value);
Spread operator*(double factor, const Spread& spread);  // factor must be >= 0
Spread operator-(const Spread& a, const Spread& b);

// Returns a / b, or nullopt if any value of `b` is not positive, because the quotient would have no bounds.
std::optional<Spread> Quotient(const Spread& a, const Spread& b);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_STATISTICS_SPREAD_H_
