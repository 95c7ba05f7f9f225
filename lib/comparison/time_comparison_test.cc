#include "lib/comparison/time_comparison.h"

#include <cmath>
#include <limits>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

constexpr double kConfidence = 0.95;

// Sum of twelve uniform numbers minus six, because standard libraries differ in their normal distributions.
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

// Returns runs that differ by 1.76 % as a whole.
RunLogs RunsOf(double seconds, int runs, Normal& normal) {
  RunLogs logs;
  for (int i = 0; i < runs; ++i) {
    logs.push_back(std::log(seconds) + 0.0176 * normal.Next());
  }
  return logs;
}

int Count(TimeVerdict verdict, double second_seconds, int runs, MeasuredOn devices) {
  Normal normal(1);
  int count = 0;
  for (int i = 0; i < 200; ++i) {
    const RunLogs first = RunsOf(2, runs, normal), second = RunsOf(second_seconds, runs, normal);
    const RunSpread spread = SpreadBetweenRuns({{first}, {second}});
    count += CompareRunLogs(first, second, spread, devices, kConfidence).verdict == verdict ? 1 : 0;
  }
  return count;
}

// One program run twice on one H200: 0.793 and 0.813 s.
TEST(TimeComparisonTest, TwoSingleRunsAreNeverEnough) {
  for (const double second : {0.813, 1.6, 0.1}) {
    const RunLogs a = {std::log(0.793)}, b = {std::log(second)};
    const RunSpread spread = SpreadBetweenRuns({{a}, {b}});
    EXPECT_EQ(spread.degrees_of_freedom, 0);
    const TimeComparison result = CompareRunLogs(a, b, spread, MeasuredOn::kSameDevice, kConfidence);
    EXPECT_EQ(result.verdict, TimeVerdict::kInconclusive);
    EXPECT_TRUE(std::isinf(result.high));
  }
}

TEST(TimeComparisonTest, RunsOfTheSameProgramDifferOnlyByChance) {
  EXPECT_LE(Count(TimeVerdict::kSlower, 2, 5, MeasuredOn::kSameDevice) +
                Count(TimeVerdict::kFaster, 2, 5, MeasuredOn::kSameDevice),
            16);  // limit of 200 trials; expected: 10 +- 3
  EXPECT_LE(Count(TimeVerdict::kSlower, 2, 5, MeasuredOn::kTwoDevices) +
                Count(TimeVerdict::kFaster, 2, 5, MeasuredOn::kTwoDevices),
            2);
}

TEST(TimeComparisonTest, ADifferenceIsFoundByAsManyRunsAsWereReported) {
  const uint32_t runs = RunsNeeded(1.05, 0.0176, MeasuredOn::kSameDevice, kConfidence);
  EXPECT_GE(runs, 3u);
  EXPECT_GE(Count(TimeVerdict::kSlower, 2 * 1.07, static_cast<int>(runs), MeasuredOn::kSameDevice), 120);
  EXPECT_EQ(Count(TimeVerdict::kFaster, 2 * 1.07, static_cast<int>(runs), MeasuredOn::kSameDevice), 0);
}

TEST(TimeComparisonTest, RunsNeeded) {
  // Two runs of each: t of 2 degrees of freedom, 4.30265, times the deviation.
  EXPECT_EQ(RunsNeeded(std::exp(0.0431), 0.01, MeasuredOn::kSameDevice, kConfidence), 2u);
  EXPECT_EQ(RunsNeeded(std::exp(-0.0431), 0.01, MeasuredOn::kSameDevice, kConfidence), 2u);
  EXPECT_EQ(RunsNeeded(std::exp(0.0430), 0.01, MeasuredOn::kSameDevice, kConfidence), 3u);
  EXPECT_EQ(RunsNeeded(1, 0.01, MeasuredOn::kSameDevice, kConfidence), 0u);
  EXPECT_EQ(RunsNeeded(1.02, 0.001, MeasuredOn::kTwoDevices, kConfidence),
            0u);  // within the difference between devices
}

TEST(TimeComparisonTest, ByHand) {
  // Three runs of each about their mean: deviation 0.01, 4 degrees of freedom, t 2.77645, times sqrt(2/3).
  const RunLogs first = {0, 0.01, -0.01}, second = {0.05, 0.06, 0.04};
  const RunSpread spread = SpreadBetweenRuns({{first}, {second}});
  EXPECT_NEAR(spread.deviation, 0.01, 1e-12);
  EXPECT_EQ(spread.degrees_of_freedom, 4);
  const TimeComparison result = CompareRunLogs(first, second, spread, MeasuredOn::kSameDevice, kConfidence);
  EXPECT_NEAR(result.ratio, std::exp(0.05), 1e-12);
  EXPECT_NEAR(result.low, std::exp(0.05 - 2.77645 * 0.01 * std::sqrt(2.0 / 3)), 1e-6);
  EXPECT_EQ(result.verdict, TimeVerdict::kSlower);
  // Two devices may differ by 3 %, so 0.02 is no difference.
  EXPECT_EQ(CompareRunLogs(first, {0.02, 0.03, 0.01}, spread, MeasuredOn::kTwoDevices, kConfidence).verdict,
            TimeVerdict::kInconclusive);
}

TEST(TimeComparisonTest, EpochsWithinRunsLimitThePlan) {
  EXPECT_EQ(DeviationOfEpochs({}), 0);
  EXPECT_EQ(DeviationOfEpochs({{1}, {2}}), 0);
  const double deviation = DeviationOfEpochs({{1, 3}, {10, 30}});
  EXPECT_NEAR(deviation, std::log(3) / std::sqrt(2), 1e-12);
  EXPECT_EQ(PlanningDeviation({}, deviation), deviation);
  EXPECT_EQ(PlanningDeviation({}, 0.001), kPlannedDeviation);
  EXPECT_EQ(PlanningDeviation({0.002, 3}, deviation), 0.002);  // runs are measured
}

// Two points in three runs have two degrees of freedom, not four: a slow run is slow at both.
TEST(TimeComparisonTest, PointsOfOneRunAreNoRunsOfTheirOwn) {
  const RunSpread spread = SpreadBetweenRuns({{{0.0, 0.01, -0.01}, {1.0, 1.01, 0.99}}, {{0.5}, {1.5}}});
  EXPECT_NEAR(spread.deviation, 0.01, 1e-12);
  EXPECT_EQ(spread.degrees_of_freedom, 2);
}

}  // namespace
}  // namespace lockstep
