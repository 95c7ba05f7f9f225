#include "lib/scaling/scaling_laws.h"

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kConfidence = 0.95;

// Exact points are recovered up to the rounding of the steps, which stop if errors are below 1e-14 or no longer shrink.
constexpr double kRounding = 1e-6;

std::vector<ScalingPoint> Amdahl(double g, double a, const std::vector<uint32_t>& ranks, uint32_t batch = 0) {
  std::vector<ScalingPoint> points;
  for (const uint32_t n : ranks) {
    points.push_back({n, batch, {g * n / (1 + a * (n - 1.0))}});
  }
  return points;
}

std::vector<ScalingPoint> Universal(double g, double a, double b, const std::vector<uint32_t>& ranks,
                                    uint32_t batch = 0) {
  std::vector<ScalingPoint> points;
  for (const uint32_t n : ranks) {
    points.push_back({n, batch, {g * n / (1 + a * (n - 1.0) + b * n * (n - 1.0))}});
  }
  return points;
}

// Adds alternating errors of one per mille.
std::vector<ScalingPoint> Noisy(std::vector<ScalingPoint> points) {
  for (size_t i = 0; i < points.size(); ++i) {
    points[i].throughput[0] *= i % 2 == 0 ? 1.001 : 0.999;
  }
  return points;
}

ScalingLawFit Fit(ScalingLaw law, const std::vector<ScalingPoint>& points) {
  const auto fit = FitScalingLaw(law, points, kConfidence);
  EXPECT_THAT(fit, IsOk());
  return fit.value_or(ScalingLawFit{});
}

TEST(ScalingLawTest, Amdahl) {
  const ScalingLawFit fit = Fit(ScalingLaw::kAmdahl, Amdahl(100, 0.05, {1, 2, 4, 8}));
  EXPECT_NEAR(fit.serial.value, 0.05, kRounding);
  EXPECT_NEAR(fit.one_device.at(0).value, 100, 100 * kRounding);
  EXPECT_EQ(fit.degrees_of_freedom, 2);
  EXPECT_FALSE(fit.peak_ranks.has_value());
  EXPECT_EQ(fit.left_out.size(), 4u);
  EXPECT_NEAR(*fit.worst_relative_error, 0, kRounding);
}

TEST(ScalingLawTest, Gustafson) {
  // N - 0.1 (N-1): 1, 1.9, 3.7.
  const ScalingLawFit fit = Fit(ScalingLaw::kGustafson, {{1, 0, {10}}, {2, 0, {19}}, {4, 0, {37}}});
  EXPECT_NEAR(fit.serial.value, 0.1, kRounding);
  EXPECT_EQ(fit.degrees_of_freedom, 1);
}

TEST(ScalingLawTest, UniversalAndItsPeak) {
  const ScalingLawFit fit = Fit(ScalingLaw::kUniversal, Noisy(Universal(100, 0.02, 0.001, {1, 2, 4, 8, 16, 32, 64})));
  EXPECT_NEAR(fit.serial.value, 0.02, 0.002);
  EXPECT_NEAR(fit.coherency.value, 0.001, 0.0001);
  ASSERT_TRUE(fit.peak_ranks.has_value());
  EXPECT_NEAR(fit.peak_ranks->value, std::sqrt(980.0), 1);
  ASSERT_TRUE(fit.peak_ranks->interval.has_value());
  EXPECT_LT(fit.peak_ranks->interval->low, std::sqrt(980.0));
  EXPECT_GT(fit.peak_ranks->interval->high, std::sqrt(980.0));
  EXPECT_LT(fit.peak_ranks->interval->high, 40);
}

TEST(ScalingLawTest, APeakThatMayNotBeThereHasNoEnd) {
  std::vector<ScalingPoint> points = Universal(100, 0.02, 1e-5, {1, 2, 4, 8});
  for (size_t i = 0; i < points.size(); ++i) {
    points[i].throughput[0] *= i == 1 || i == 2 ? 1.01 : 0.99;  // a bend like that of coherency
  }
  const ScalingLawFit fit = Fit(ScalingLaw::kUniversal, points);
  ASSERT_TRUE(fit.peak_ranks.has_value());
  EXPECT_EQ(fit.peak_ranks->interval->high, std::numeric_limits<double>::infinity());
  EXPECT_EQ(fit.coherency.interval->low, 0);
}

TEST(ScalingLawTest, IdealScaling) {
  const ScalingLawFit fit = Fit(ScalingLaw::kUniversal, {{1, 0, {1}}, {2, 0, {2}}, {4, 0, {4}}, {8, 0, {8}}});
  EXPECT_NEAR(fit.serial.value, 0, kRounding);
  EXPECT_NEAR(fit.coherency.value, 0, kRounding);
}

TEST(ScalingLawTest, MoreThanIdealIsHeldAtZero) {
  const ScalingLawFit fit = Fit(ScalingLaw::kUniversal, {{1, 0, {1}}, {2, 0, {2.2}}, {4, 0, {4.6}}, {8, 0, {9.5}}});
  EXPECT_EQ(fit.serial.value, 0);
  EXPECT_EQ(fit.coherency.value, 0);
  EXPECT_EQ(fit.serial.interval->low, 0);
  EXPECT_FALSE(fit.peak_ranks.has_value());
  // Mean of ln(1), ln(1.1), ln(1.15), ln(1.1875).
  EXPECT_NEAR(fit.one_device.at(0).value, std::pow(1.1 * 1.15 * 1.1875, 0.25), kRounding);
}

TEST(ScalingLawTest, BatchesShareTheShape) {
  std::vector<ScalingPoint> points = Amdahl(100, 0.05, {1, 2, 4}, 32);
  const std::vector<ScalingPoint> more = Amdahl(300, 0.05, {1, 2, 4}, 128);
  points.insert(points.end(), more.begin(), more.end());
  const ScalingLawFit fit = Fit(ScalingLaw::kAmdahl, points);
  EXPECT_EQ(fit.degrees_of_freedom, 6 - 3);
  EXPECT_NEAR(fit.serial.value, 0.05, kRounding);
  EXPECT_NEAR(fit.one_device.at(32).value, 100, 100 * kRounding);
  EXPECT_NEAR(fit.one_device.at(128).value, 300, 300 * kRounding);
  EXPECT_THAT(PredictThroughput(fit, 64, 2, OutsideMeasured::kRefused),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("found 64")));
}

TEST(ScalingLawTest, RepeatsCountAsTheirMean) {
  const ScalingLawFit fit = Fit(ScalingLaw::kAmdahl, {{1, 0, {90, 110}}, {2, 0, {200, 199, 201}}, {4, 0, {400}}});
  EXPECT_NEAR(fit.one_device.at(0).value, 100, 100 * kRounding);
}

// The lab has one, two and four devices: three points for three parameters.
TEST(ScalingLawTest, WithoutDegreesOfFreedomItDoesNotExtrapolate) {
  const ScalingLawFit fit = Fit(ScalingLaw::kUniversal, Universal(100, 0.02, 0.001, {1, 2, 4}));
  EXPECT_EQ(fit.degrees_of_freedom, 0);
  EXPECT_NEAR(fit.coherency.value, 0.001, kRounding);
  EXPECT_FALSE(fit.serial.interval.has_value());
  EXPECT_FALSE(fit.peak_ranks->interval.has_value());
  EXPECT_THAT(fit.left_out, IsEmpty());
  EXPECT_THAT(PredictThroughput(fit, 0, 8, OutsideMeasured::kPredicted),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("0 degrees of freedom")));
  const auto inside = PredictThroughput(fit, 0, 3, OutsideMeasured::kRefused);
  ASSERT_THAT(inside, IsOk());
  EXPECT_NEAR(inside->value, 300 / (1 + 0.04 + 0.006), 300 * kRounding);
  EXPECT_FALSE(inside->interval.has_value());
}

TEST(ScalingLawTest, ExtrapolatesOnlyWhenAsked) {
  const ScalingLawFit fit = Fit(ScalingLaw::kAmdahl, Noisy(Amdahl(100, 0.05, {1, 2, 4, 8})));
  EXPECT_THAT(PredictThroughput(fit, 0, 16, OutsideMeasured::kRefused),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("1 to 8 devices, as measured, found 16")));
  const auto predicted = PredictThroughput(fit, 0, 16, OutsideMeasured::kPredicted);
  ASSERT_THAT(predicted, IsOk());
  EXPECT_TRUE(predicted->extrapolated);
  EXPECT_NEAR(predicted->value, 1600 / 1.75, 20);
  EXPECT_LT(predicted->interval->low, 1600 / 1.75);
  EXPECT_GT(predicted->interval->high, 1600 / 1.75);
  EXPECT_THAT(PredictThroughput(fit, 0, 0, OutsideMeasured::kPredicted),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("found 0")));
}

TEST(ScalingLawTest, RefusesWhatCannotBeFitted) {
  EXPECT_THAT(FitScalingLaw(ScalingLaw::kUniversal, Amdahl(1, 0.1, {1, 2}), kConfidence),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("at least 3 points on 3 different")));
  EXPECT_THAT(FitScalingLaw(ScalingLaw::kAmdahl, Amdahl(1, 0.1, {4, 4, 4}), kConfidence),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("3 points on 1")));
  EXPECT_THAT(FitScalingLaw(ScalingLaw::kAmdahl, {}, kConfidence),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("found 0 points")));
  // Each batch at one N only: g and a cannot be distinguished.
  EXPECT_THAT(FitScalingLaw(ScalingLaw::kAmdahl, {{1, 32, {1}}, {2, 64, {2}}, {2, 64, {2}}}, kConfidence),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("depend on one another")));
  EXPECT_THAT(FitScalingLaw(ScalingLaw::kAmdahl, {{1, 0, {1}}, {2, 0, {0}}}, kConfidence),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at 2 ranks")));
}

TEST(CompareScalingLawsTest, TheLawThatMadeThePointsComesFirst) {
  const auto comparison = CompareScalingLaws(Noisy(Universal(100, 0.02, 0.001, {1, 2, 4, 8, 16, 32, 64})), kConfidence);
  ASSERT_THAT(comparison, IsOk());
  ASSERT_EQ(comparison->fits.size(), 3u);
  EXPECT_EQ(comparison->fits[0].law, ScalingLaw::kUniversal);
  EXPECT_LT(*comparison->fits[0].median_relative_error, *comparison->fits[1].median_relative_error);
}

TEST(CompareScalingLawsTest, ReportsWhatIsMissing) {
  const auto comparison = CompareScalingLaws(Amdahl(100, 0.05, {1, 2}), kConfidence);
  ASSERT_THAT(comparison, IsOk());
  EXPECT_EQ(comparison->fits.size(), 2u);
  EXPECT_THAT(comparison->missing, ElementsAre(HasSubstr("universal: expected at least 3 points")));
}

}  // namespace
}  // namespace lockstep
