#include "lib/comparison/time_comparison.h"

#include <cmath>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

// Twelve uniform numbers less six: standard libraries differ in their normal distributions.
class Normal {
 public:
  explicit Normal(uint32_t seed) : engine_(seed) {}
  double Next() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) {
      sum += engine_() / 4294967296.0;
    }
    return sum;
  }

 private:
  std::mt19937 engine_;
};

// Five epochs of 2 s: the run differs by 0.45 % from others, epochs by 0.3 %.
std::vector<double> RunOf(double seconds, Normal& normal) {
  const double run = seconds * (1 + 0.0045 * normal.Next());
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) {
    times.push_back(run * (1 + 0.003 * normal.Next()));
  }
  return times;
}

int Count(TimeVerdict verdict, double second_seconds, bool same_device) {
  Normal normal(1);
  int count = 0;
  for (int i = 0; i < 100; ++i) {
    const std::vector<double> first = RunOf(2, normal), second = RunOf(second_seconds, normal);
    count += CompareTimes(first, second, StatedRunSpread(same_device), 0.95).verdict == verdict ? 1 : 0;
  }
  return count;
}

TEST(TimeComparisonTest, TwoRunsOfTheSameCannotBeToldApart) {
  EXPECT_GE(Count(TimeVerdict::kCannotTell, 2, true), 95);
  EXPECT_EQ(Count(TimeVerdict::kCannotTell, 2, false), 100);
}

TEST(TimeComparisonTest, ThreePerCentAreFoundOnOneDeviceAndNotOnTwo) {
  EXPECT_GE(Count(TimeVerdict::kSlower, 2 * 1.03, true), 95);
  EXPECT_GE(Count(TimeVerdict::kFaster, 2 / 1.03, true), 95);
  EXPECT_EQ(Count(TimeVerdict::kFaster, 2 * 1.03, true), 0);
  EXPECT_LE(Count(TimeVerdict::kSlower, 2 * 1.03, false), 40);
}

// Without the spread between runs, epochs that differ by a thousandth would make 1 % certain.
TEST(TimeComparisonTest, SpreadBetweenRunsCounts) {
  const std::vector<double> first = {2.000, 2.001, 1.999}, second = {2.016, 2.017, 2.015};  // 0.8 %
  EXPECT_EQ(CompareTimes(first, second, {0, INFINITY, false, ""}, 0.95).verdict, TimeVerdict::kSlower);
  EXPECT_EQ(CompareTimes(first, second, StatedRunSpread(true), 0.95).verdict, TimeVerdict::kCannotTell);
}

TEST(TimeComparisonTest, ByHand) {
  // ln 1.02 = 0.019803; two runs of 0.5 %: 0.7071 %, times 1.95996.
  const TimeComparison result = CompareTimes({1, 1}, {1.02, 1.02}, {0.005, INFINITY, false, ""}, 0.95);
  EXPECT_NEAR(result.ratio, 1.02, 1e-12);
  EXPECT_NEAR(result.low, std::exp(0.019803 - 0.013859), 1e-5);
  EXPECT_NEAR(result.high, std::exp(0.019803 + 0.013859), 1e-5);
  EXPECT_EQ(result.verdict, TimeVerdict::kSlower);
}

TEST(TimeComparisonTest, OneEpochHasNoSpread) {
  const TimeComparison result = CompareTimes({1}, {2, 2.1}, StatedRunSpread(true), 0.95);
  EXPECT_EQ(result.verdict, TimeVerdict::kCannotTell);
  EXPECT_TRUE(std::isinf(result.high));
}

TEST(TimeComparisonTest, SpreadOfSeveralRuns) {
  // Two points in three runs: deviations 0.01 and 0.01 about each mean, squares 4 * 0.01^2 over 4.
  const RunSpread spread = MeasuredRunSpread({{0.0, 0.01, -0.01}, {1.0, 1.01, 0.99}}, "runs");
  EXPECT_NEAR(spread.deviation, 0.01, 1e-12);
  EXPECT_EQ(spread.degrees_of_freedom, 2);
  // One epoch each is enough then: t of 2 degrees of freedom is 4.30265.
  const TimeComparison result = CompareTimes({1}, {1.03}, spread, 0.95);
  EXPECT_NEAR(result.high, 1.03 * std::exp(4.30265 * 0.01 * std::sqrt(2)), 1e-5);
  EXPECT_EQ(result.verdict, TimeVerdict::kCannotTell);
}

}  // namespace
}  // namespace lockstep
