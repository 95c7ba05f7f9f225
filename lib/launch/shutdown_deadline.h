// ShutdownDeadline: the time at which the running ranks of a point must be ended, and the time at which a process that
// does not report its rank's end is given up. Reads no clock; the caller gives the time.
//
// - After a rank failed, the others have kFailureGrace to end by themselves, as in lib/base/subprocess.h.
// - After a process is lost or a stop, the ranks are ended at once.
// - After a rank succeeded, the others have the timeout. The ranks of a point end together after a barrier, so a rank
//   that still runs after that hangs.
#ifndef LOCKSTEP_LIB_LAUNCH_SHUTDOWN_DEADLINE_H_
#define LOCKSTEP_LIB_LAUNCH_SHUTDOWN_DEADLINE_H_

#include <algorithm>

#include "absl/time/time.h"
#include "lib/base/monotonic_time.h"

namespace lockstep {

class ShutdownDeadline {
 public:
  static constexpr absl::Duration kFailureGrace = absl::Seconds(2);
  // Time from the order to end a rank to the report of its end: SIGTERM, 2 s, SIGKILL (subprocess.h), and 1 s for the
  // messages.
  static constexpr absl::Duration kReportTimeout = absl::Seconds(3);

  explicit ShutdownDeadline(absl::Duration timeout) : timeout_(timeout) {}

  void RankFinished(MonotonicTime now) { EndAt(now + timeout_); }
  void RankFailed(MonotonicTime now) { EndAt(now + kFailureGrace); }
  void EndNow(MonotonicTime now) { EndAt(now); }

  bool MustEnd(MonotonicTime now) const { return now >= end_at_; }
  bool MustGiveUp(MonotonicTime now) const { return now >= end_at_ + kReportTimeout; }

 private:
  void EndAt(MonotonicTime time) { end_at_ = std::min(end_at_, time); }

  const absl::Duration timeout_;
  MonotonicTime end_at_ = MonotonicTime::InfiniteFuture();
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_SHUTDOWN_DEADLINE_H_
