#include "lib/comparison/slowdown.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(SlowdownTest, ALimitIsAPercentage) {
  EXPECT_EQ(*ParseSlowdownLimit("5%"), 0.05);
  EXPECT_EQ(*ParseSlowdownLimit(" 2.5 % "), 0.025);
  EXPECT_EQ(*ParseSlowdownLimit("0%"), 0);
  for (const char* text : {"", "%", "5", "0.05", "-1%", "1001%", "nan%", "5%%", "five%"}) {
    EXPECT_THAT(ParseSlowdownLimit(text), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("from 0% to 1000%")))
        << text;
  }
}

// Limit 5 %. A point fails if its interval is above 1 and its ratio above 1.05.
TEST(SlowdownTest, DecisionTable) {
  struct Case {
    TimeVerdict verdict;
    double ratio, low, high;
    bool fails;
  };
  const Case cases[] = {
      {TimeVerdict::kSlower, 1.08, 1.06, 1.10, true},              // the near end is above the limit
      {TimeVerdict::kSlower, 1.06, 1.01, 1.11, true},              // slower for sure, and by more than the limit
      {TimeVerdict::kSlower, 1.04, 1.03, 1.05, false},             // slower for sure, but by less
      {TimeVerdict::kSlower, 1.05, 1.04, 1.06, false},             // equal to the limit
      {TimeVerdict::kInconclusive, 1.50, 0.90, 2.50, false},       // not known to be slower
      {TimeVerdict::kInconclusive, 13.1, 0.00, kInfinity, false},  // two single runs
      {TimeVerdict::kFaster, 0.50, 0.45, 0.55, false},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(IsTooSlow({each.verdict, each.ratio, each.low, each.high}, 0.05), each.fails) << each.ratio;
  }
}

RunComparison Comparison() {
  RunComparison comparison;
  comparison.points = {{"batch 32", 1, 1.2, {TimeVerdict::kSlower, 1.2, 1.18, 1.22}, 0},
                       {"batch 64", 1, 1.02, {TimeVerdict::kInconclusive, 1.02, 0.99, 1.05}, 9},
                       {"batch 128", 1, 1.031, {TimeVerdict::kSlower, 1.031, 1.01, 1.05}, 0}};
  comparison.first_runs = 3;
  comparison.second_runs = 2;
  comparison.same_device = true;
  comparison.spread = {0.01, 3};
  return comparison;
}

TEST(SlowdownTest, EachFailedPointIsALine) {
  const RunComparison comparison = Comparison();
  EXPECT_THAT(CheckSlowdown(comparison, 0.05).failed, SizeIs(1));
  EXPECT_THAT(SlowdownText(comparison, 0.05),
              HasSubstr("FAILED batch 32: slower by 20.0 % (18.0 % to 22.0 %), more than 5 %\ninconclusive: 1 of 3 "
                        "points, from 3 runs before and 2 after; inconclusive points pass; measure "));
  EXPECT_THAT(SlowdownStatus(comparison, 0.05),
              StatusIs(absl::StatusCode::kAborted, HasSubstr("1 of 3 points are slower by more than 5 %")));
  EXPECT_THAT(CheckSlowdown(comparison, 0.03).failed, SizeIs(2));
  EXPECT_THAT(SlowdownStatus(comparison, 0.2), IsOk());
}

TEST(SlowdownTest, SingleRunsPassAndNameTheRunsThatAreMissing) {
  RunComparison comparison;
  comparison.points = {{"batch 32", 1, 13, {TimeVerdict::kInconclusive, 13, 0, kInfinity}, 2}};
  comparison.same_device = true;
  EXPECT_THAT(SlowdownStatus(comparison, 0.05), IsOk());
  // 5 % at the planned deviation of 1.76 %, confidence 95 %. For 4 runs: t(6) = 2.447, 2.447 * 1.76 % * sqrt(2 / 4) =
  // 3.0 % < ln(1.05) = 4.9 %. For 3 runs: t(4) = 2.776, 4.0 %. For 2 runs: t(2) = 4.303, 7.6 %. So 3 runs decide.
  EXPECT_EQ(SlowdownText(comparison, 0.05),
            "inconclusive: 1 of 1 point, from 1 run before and 1 after; inconclusive points pass; measure 2 more runs "
            "before and 2 more after to decide a slowdown by 5 %\n");
  // No slowdown is as small as 0 %.
  EXPECT_THAT(SlowdownText(comparison, 0),
              HasSubstr("; even 100 runs of each program would not decide a slowdown by 0 %"));
}

}  // namespace
}  // namespace lockstep
