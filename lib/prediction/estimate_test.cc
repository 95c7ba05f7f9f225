#include "lib/prediction/estimate.h"

#include <cmath>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

// Rounding of a few double operations, and of quantiles to the digits written here.
constexpr double kClose = 1e-6;

proto::Samples MakeSamples(std::initializer_list<double> values) {
  proto::Samples samples;
  for (const double value : values) {
    samples.add_value(value);
  }
  return samples;
}

TEST(EstimateTest, MeanOfFiveHasFourDegreesOfFreedom) {
  const auto estimate = EstimateOf(MakeSamples({1, 2, 3, 4, 5}), 0);
  ASSERT_TRUE(estimate.has_value());
  EXPECT_DOUBLE_EQ(estimate->value, 3);
  EXPECT_DOUBLE_EQ(estimate->variance, 2.5 / 5);  // sample variance 2.5
  const Interval interval = IntervalOf(*estimate, 0.95);
  EXPECT_NEAR(interval.high - 3, 2.776445 * std::sqrt(0.5), kClose);  // t of 4 degrees of freedom, 97.5 %
  EXPECT_NEAR(3 - interval.low, interval.high - 3, kClose);
}

TEST(EstimateTest, OneValueHasTheRunToRunPartOnly) {
  const auto estimate = EstimateOf(MakeSamples({200}), 0.01);
  ASSERT_TRUE(estimate.has_value());
  EXPECT_DOUBLE_EQ(estimate->variance, 4);
  EXPECT_NEAR(IntervalOf(*estimate, 0.95).high - 200, 1.959964 * 2, kClose);  // normal: the variance is known
}

TEST(EstimateTest, NoValuesNoEstimate) { EXPECT_FALSE(EstimateOf(proto::Samples(), 0.01).has_value()); }

TEST(EstimateTest, SumsAddVariancesAndJoinDegreesOfFreedom) {
  const Estimate a = {10, 4, 16.0 / 4}, b = {3, 1, 1.0 / 9};  // 4 and 9 degrees of freedom
  const Estimate difference = a - b;
  EXPECT_DOUBLE_EQ(difference.value, 7);
  EXPECT_DOUBLE_EQ(difference.variance, 5);
  // Welch-Satterthwaite: 5^2 / (4^2/4 + 1^2/9).
  EXPECT_DOUBLE_EQ(25 / difference.variance_squared_over_freedom, 25 / (4 + 1.0 / 9));
}

TEST(EstimateTest, AFactorKeepsTheDegreesOfFreedom) {
  const Estimate scaled = 3 * Estimate{10, 4, 16.0 / 4};
  EXPECT_DOUBLE_EQ(scaled.value, 30);
  EXPECT_DOUBLE_EQ(scaled.variance, 36);
  EXPECT_DOUBLE_EQ(36.0 * 36 / scaled.variance_squared_over_freedom, 4);
}

TEST(EstimateTest, AModelledNumberIsMarked) {
  const proto::Quantity quantity = Modelled(Known(2, 1), 0.9, "by hand");
  EXPECT_EQ(quantity.provenance(), proto::MODELLED);
  EXPECT_NEAR(quantity.high(), 2 + 1.644854, kClose);
  EXPECT_THAT(quantity.method(), HasSubstr("by hand; interval: 90 %"));
}

TEST(EstimateTest, WithoutAVarianceThereIsNoInterval) {
  const proto::Quantity quantity = Modelled(Known(2), 0.9, "by hand");
  EXPECT_EQ(quantity.value(), 2);
  EXPECT_FALSE(quantity.has_low());
  EXPECT_EQ(quantity.method(), "by hand");
}

TEST(EstimateTest, SquaresBeyondADoubleStillHaveAnInterval) {
  const Estimate tiny = 1e-120 * Estimate{1, 1, 0.5};  // its variance squared is 0 in a double
  EXPECT_TRUE(Modelled(tiny, 0.95, "by hand").has_low());
  const Estimate huge = 1e120 * Estimate{1, 1, 0.5};  // here infinite
  EXPECT_TRUE(Modelled(huge, 0.95, "by hand").has_low());
}

TEST(EstimateTest, WhatIsNotFiniteIsAbsent) {
  EXPECT_FALSE(Modelled(Known(std::nan("")), 0.95, "by hand").has_value());
  EXPECT_FALSE(Modelled(Known(INFINITY), 0.95, "by hand").has_value());
}

// 1,000 trials of two sets of five and of eight measurements with different spread. In 95 % of the trials the interval
// of the difference of their means must contain the true difference. The share's own standard deviation is
// sqrt(.95*.05/1000) = 0.7 points.
TEST(EstimateTest, IntervalsHoldAtTheirStatedRate) {
  std::mt19937_64 random(20261122);
  std::normal_distribution<double> wide(100, 3), narrow(40, 1);
  int held = 0;
  constexpr int kTrials = 1000;
  for (int trial = 0; trial < kTrials; ++trial) {
    proto::Samples a, b;
    for (int i = 0; i < 5; ++i) {
      a.add_value(wide(random));
    }
    for (int i = 0; i < 8; ++i) {
      b.add_value(narrow(random));
    }
    const Interval interval = IntervalOf(*EstimateOf(a, 0) - *EstimateOf(b, 0), 0.95);
    held += interval.low <= 60 && 60 <= interval.high;
  }
  EXPECT_NEAR(held / double{kTrials}, 0.95, 0.02);
}

}  // namespace
}  // namespace lockstep
