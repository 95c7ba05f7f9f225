// Range of a chart's value: the columns "__MIN" and "__MAX" of Weights & Biases.
#ifndef LOCKSTEP_LIB_PUBLISHED_CHART_RANGE_H_
#define LOCKSTEP_LIB_PUBLISHED_CHART_RANGE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Checks that `digits`, a number, lies within the cells `min` and `max`. An empty cell or NaN states no limit. Programs
// that average several steps round the mean, so that it may be outside by one part in a million.
// Returns InvalidArgumentError, with the remedy, if the number is outside, or if a limit is not a number.
absl::Status CheckChartRange(absl::string_view digits, absl::string_view min, absl::string_view max);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_CHART_RANGE_H_
