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
#include "lib/base/monotonic_time.h"

namespace lockstep {

class EndRule {
 public:
  static constexpr absl::Duration kSettle = absl::Seconds(2);
  // From the order to end to a report of it: SIGTERM, 2 s, SIGKILL (subprocess.h), and a second on the way.
  static constexpr absl::Duration kReport = absl::Seconds(3);

  explicit EndRule(absl::Duration timeout) : timeout_(timeout) {}

  void RankEnded(bool failed, MonotonicTime now) { EndAt(now + (failed ? kSettle : timeout_)); }
  void EndNow(MonotonicTime now) { EndAt(now); }

  bool MustEnd(MonotonicTime now) const { return now >= end_at_; }
  bool MustGiveUp(MonotonicTime now) const { return now >= end_at_ + kReport; }

 private:
  void EndAt(MonotonicTime time) { end_at_ = std::min(end_at_, time); }

  const absl::Duration timeout_;
  MonotonicTime end_at_ = MonotonicTime::InfiniteFuture();
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_END_RULE_H_
