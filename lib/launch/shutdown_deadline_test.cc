#include "lib/launch/shutdown_deadline.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(60);
const MonotonicTime kStart = MonotonicTime::Now();

TEST(ShutdownDeadlineTest, NothingEndsAPointThatRuns) {
  const ShutdownDeadline deadline(kTimeout);
  EXPECT_FALSE(deadline.MustEnd(kStart + absl::Hours(1000)));
  EXPECT_FALSE(deadline.MustGiveUp(kStart + absl::Hours(1000)));
}

TEST(ShutdownDeadlineTest, AfterAFailureTheOthersHaveAMoment) {
  ShutdownDeadline deadline(kTimeout);
  deadline.RankFailed(kStart);
  EXPECT_FALSE(deadline.MustEnd(kStart + ShutdownDeadline::kFailureGrace - absl::Milliseconds(1)));
  EXPECT_TRUE(deadline.MustEnd(kStart + ShutdownDeadline::kFailureGrace));
  EXPECT_FALSE(deadline.MustGiveUp(kStart + ShutdownDeadline::kFailureGrace));
  EXPECT_TRUE(deadline.MustGiveUp(kStart + ShutdownDeadline::kFailureGrace + ShutdownDeadline::kReportTimeout));
}

TEST(ShutdownDeadlineTest, AfterASuccessTheyHaveTheTimeout) {
  ShutdownDeadline deadline(kTimeout);
  deadline.RankFinished(kStart);
  EXPECT_FALSE(deadline.MustEnd(kStart + kTimeout - absl::Milliseconds(1)));
  EXPECT_TRUE(deadline.MustEnd(kStart + kTimeout));
}

TEST(ShutdownDeadlineTest, TheEarliestReasonCounts) {
  ShutdownDeadline deadline(kTimeout);
  deadline.RankFailed(kStart);
  deadline.RankFailed(kStart + absl::Seconds(1));
  EXPECT_TRUE(deadline.MustEnd(kStart + ShutdownDeadline::kFailureGrace));
  deadline.EndNow(kStart + absl::Seconds(1));
  EXPECT_TRUE(deadline.MustEnd(kStart + absl::Seconds(1)));
}

// A hang is detected after the timeout; every process must have ended within 5 s after that.
TEST(ShutdownDeadlineTest, AllIsOverFiveSecondsAfterAFailure) {
  EXPECT_LE(ShutdownDeadline::kFailureGrace + ShutdownDeadline::kReportTimeout, absl::Seconds(5));
}

}  // namespace
}  // namespace lockstep
