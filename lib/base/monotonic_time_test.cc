#include "lib/base/monotonic_time.h"

#include <gtest/gtest.h>
#include <time.h>

namespace lockstep {
namespace {

TEST(MonotonicTimeTest, ReadsTheMonotonicClock) {
  timespec before = {};
  timespec after = {};
  const MonotonicTime start = MonotonicTime::Now();
  clock_gettime(CLOCK_MONOTONIC, &before);
  timespec pause = absl::ToTimespec(absl::Milliseconds(20));
  nanosleep(&pause, nullptr);
  clock_gettime(CLOCK_MONOTONIC, &after);
  EXPECT_GE(MonotonicTime::Now() - start, absl::DurationFromTimespec(after) - absl::DurationFromTimespec(before));
}

TEST(MonotonicTimeTest, AddsAndComparesDurations) {
  const MonotonicTime start = MonotonicTime::Now();
  const MonotonicTime later = start + absl::Seconds(3);
  EXPECT_EQ(later - start, absl::Seconds(3));
  EXPECT_EQ(later - absl::Seconds(3), start);
  EXPECT_LT(start, later);
  EXPECT_GE(MonotonicTime::Now(), start);
}

TEST(MonotonicTimeTest, InfiniteTimesStayInfinite) {
  EXPECT_GT(MonotonicTime::InfiniteFuture(), MonotonicTime::Now() + absl::Hours(1e6));
  EXPECT_LT(MonotonicTime::InfinitePast(), MonotonicTime::Now());
  EXPECT_EQ(MonotonicTime::Now() + absl::InfiniteDuration(), MonotonicTime::InfiniteFuture());
  EXPECT_EQ(MonotonicTime::Now() - MonotonicTime::InfinitePast(), absl::InfiniteDuration());
}

}  // namespace
}  // namespace lockstep
