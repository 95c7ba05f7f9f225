// Decision of `report --compare --fail_if_slower=5%`: which points are slower by more than a limit. Pure functions.
#ifndef LOCKSTEP_LIB_COMPARISON_SLOWDOWN_H_
#define LOCKSTEP_LIB_COMPARISON_SLOWDOWN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/comparison/compare.h"

namespace lockstep {

// Parses "5%" or "2.5 %" as the fraction 0.05 or 0.025. Returns InvalidArgumentError for a text without the sign, or a
// number that is not in [0, 1000].
absl::StatusOr<double> ParseSlowdownLimit(absl::string_view text);

// Returns true if the point fails. A point fails if both hold:
//   - its verdict is "slower": the whole interval of its ratio is above 1;
//   - its ratio is above 1 + `limit`.
// An inconclusive point never fails, so two single runs never do. If the near end of the interval is above 1 + `limit`,
// the point fails, too, because both conditions then hold.
bool IsTooSlow(const TimeComparison& comparison, double limit);

struct SlowdownCheck {
  std::vector<const ComparedPoint*> failed;  // points in the order of the comparison, which must outlive them
  uint32_t inconclusive = 0;                 // number of points without a verdict
  // Runs of each program that would decide a slowdown by `limit`; 0: no number up to kMaxRunsNeeded.
  uint32_t runs_needed = 0;
};

SlowdownCheck CheckSlowdown(const RunComparison& comparison, double limit);

// Returns one line per failed point: "FAILED batch 128: slower by 7.1 % (5.6 % to 8.7 %), more than 5 %"; then, if
// points are inconclusive, one line: "inconclusive: 2 of 3 points, from 1 run before and 1 after; inconclusive points
// pass; measure 2 more runs before and 2 more after to decide a slowdown by 5 %".
std::string SlowdownText(const RunComparison& comparison, double limit);

// Returns AbortedError (exit 4) with the number of failed points if there are any.
absl::Status SlowdownStatus(const RunComparison& comparison, double limit);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMPARISON_SLOWDOWN_H_
