// MonotonicTime: a point in time on CLOCK_MONOTONIC, for deadlines, timeouts and heartbeats.
//
// absl::Now() reads the wall clock, which NTP, an administrator or a resumed virtual machine may set. A deadline on
// that clock passes too early, or never. The wall clock may be used only for times that are written to a record or
// shown to a person.
#ifndef LOCKSTEP_LIB_BASE_MONOTONIC_TIME_H_
#define LOCKSTEP_LIB_BASE_MONOTONIC_TIME_H_

#include <chrono>

#include "absl/time/time.h"

namespace lockstep {

class MonotonicTime {
 public:
  static MonotonicTime Now() {
    return MonotonicTime(absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch()));
  }
  static constexpr MonotonicTime InfiniteFuture() { return MonotonicTime(absl::InfiniteDuration()); }
  static constexpr MonotonicTime InfinitePast() { return MonotonicTime(-absl::InfiniteDuration()); }

  // Infinite operands behave like those of absl::Time.
  friend MonotonicTime operator+(MonotonicTime time, absl::Duration duration) {
    return MonotonicTime(time.since_start_ + duration);
  }
  friend MonotonicTime operator-(MonotonicTime time, absl::Duration duration) {
    return MonotonicTime(time.since_start_ - duration);
  }
  friend absl::Duration operator-(MonotonicTime a, MonotonicTime b) { return a.since_start_ - b.since_start_; }

  friend bool operator==(MonotonicTime a, MonotonicTime b) { return a.since_start_ == b.since_start_; }
  friend bool operator!=(MonotonicTime a, MonotonicTime b) { return a.since_start_ != b.since_start_; }
  friend bool operator<(MonotonicTime a, MonotonicTime b) { return a.since_start_ < b.since_start_; }
  friend bool operator>(MonotonicTime a, MonotonicTime b) { return a.since_start_ > b.since_start_; }
  friend bool operator<=(MonotonicTime a, MonotonicTime b) { return a.since_start_ <= b.since_start_; }
  friend bool operator>=(MonotonicTime a, MonotonicTime b) { return a.since_start_ >= b.since_start_; }

 private:
  constexpr explicit MonotonicTime(absl::Duration since_start) : since_start_(since_start) {}

  absl::Duration since_start_;  // time since the clock's start; on Linux, since boot
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_MONOTONIC_TIME_H_
