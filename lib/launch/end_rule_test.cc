#include "lib/launch/end_rule.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(60);
const MonotonicTime kStart = MonotonicTime::Now();

TEST(EndRuleTest, NothingEndsAPointThatRuns) {
  const EndRule rule(kTimeout);
  EXPECT_FALSE(rule.MustEnd(kStart + absl::Hours(1000)));
  EXPECT_FALSE(rule.MustGiveUp(kStart + absl::Hours(1000)));
}

TEST(EndRuleTest, AfterAFailureTheOthersHaveAMoment) {
  EndRule rule(kTimeout);
  rule.RankEnded(true, kStart);
  EXPECT_FALSE(rule.MustEnd(kStart + EndRule::kSettle - absl::Milliseconds(1)));
  EXPECT_TRUE(rule.MustEnd(kStart + EndRule::kSettle));
  EXPECT_FALSE(rule.MustGiveUp(kStart + EndRule::kSettle));
  EXPECT_TRUE(rule.MustGiveUp(kStart + EndRule::kSettle + EndRule::kReport));
}

TEST(EndRuleTest, AfterASuccessTheyHaveTheTimeout) {
  EndRule rule(kTimeout);
  rule.RankEnded(false, kStart);
  EXPECT_FALSE(rule.MustEnd(kStart + kTimeout - absl::Milliseconds(1)));
  EXPECT_TRUE(rule.MustEnd(kStart + kTimeout));
}

TEST(EndRuleTest, TheEarliestReasonCounts) {
  EndRule rule(kTimeout);
  rule.RankEnded(true, kStart);
  rule.RankEnded(true, kStart + absl::Seconds(1));
  EXPECT_TRUE(rule.MustEnd(kStart + EndRule::kSettle));
  rule.EndNow(kStart + absl::Seconds(1));
  EXPECT_TRUE(rule.MustEnd(kStart + absl::Seconds(1)));
}

// A hang is detected after the timeout; every process must have ended within 5 s after that.
TEST(EndRuleTest, AllIsOverFiveSecondsAfterAFailure) {
  EXPECT_LE(EndRule::kSettle + EndRule::kReport, absl::Seconds(5));
}

}  // namespace
}  // namespace lockstep
