// When the ranks of a point must be ended although some still run, and when a process that leads one is given up. Knows no
// clock: it is told the time.
//
// With a rank that failed the others have kSettle to end by themselves, as in lib/base/subprocess.h; with a process that
// is lost, or a stop, they have none. The ranks of a point end together, behind a barrier: one that still runs the
// timeout after the first has ended hangs.
#ifndef LOCKSTEP_LIB_LAUNCH_END_RULE_H_
#define LOCKSTEP_LIB_LAUNCH_END_RULE_H_

#include <algorithm>

#include "absl/time/time.h"

namespace lockstep {

class EndRule {
 public:
  static constexpr absl::Duration kSettle = absl::Seconds(2);
  // From the order to end to a report of it: SIGTERM, 2 s, SIGKILL (subprocess.h), and a second on the way.
  static constexpr absl::Duration kReport = absl::Seconds(3);

  explicit EndRule(absl::Duration timeout) : timeout_(timeout) {}

  void RankEnded(bool failed, absl::Time now) { EndAt(now + (failed ? kSettle : timeout_)); }
  void EndNow(absl::Time now) { EndAt(now); }

  bool MustEnd(absl::Time now) const { return now >= end_at_; }
  bool MustGiveUp(absl::Time now) const { return now >= end_at_ + kReport; }

 private:
  void EndAt(absl::Time time) { end_at_ = std::min(end_at_, time); }

  const absl::Duration timeout_;
  absl::Time end_at_ = absl::InfiniteFuture();
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_END_RULE_H_
