#include "lib/statistics/least_squares.h"

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Rounding of a few dozen operations on numbers near 1.
constexpr double kRounding = 1e-12;

LeastSquaresFit Fit(const LeastSquaresProblem& problem) {
  const auto fit = FitLeastSquares(problem);
  EXPECT_THAT(fit, IsOk());
  return fit.value_or(LeastSquaresFit{});
}

// y = 1, 2, 4 at x = 0, 1, 2: slope 1.5, intercept 7/3 - 1.5 = 5/6; residuals 1/6, -1/3, 1/6, squares 1/6.
// X'X = {{3, 3}, {3, 5}}, its inverse {{5/6, -1/2}, {-1/2, 1/2}}.
const LeastSquaresProblem kLine{{{1, 0}, {1, 1}, {1, 2}}, {1, 2, 4}, {}};

TEST(LeastSquaresTest, ALineByHand) {
  const LeastSquaresFit fit = Fit(kLine);
  EXPECT_THAT(fit.parameters, ElementsAre(DoubleNear(5.0 / 6, kRounding), DoubleNear(1.5, kRounding)));
  EXPECT_NEAR(fit.sum_of_squares, 1.0 / 6, kRounding);
  EXPECT_EQ(fit.degrees_of_freedom, 1);
  EXPECT_THAT(fit.unscaled_covariance[0], ElementsAre(DoubleNear(5.0 / 6, kRounding), DoubleNear(-0.5, kRounding)));
  EXPECT_THAT(fit.unscaled_covariance[1], ElementsAre(DoubleNear(-0.5, kRounding), DoubleNear(0.5, kRounding)));
}

TEST(LeastSquaresTest, ItsIntervalsByHand) {
  const LeastSquaresFit fit = Fit(kLine);
  // t(0.5, 1 degree) = 1, since Cauchy's quantile at 3/4 is tan(pi/4). s^2 = 1/6.
  const auto slope = ParameterInterval(fit, 1, 0.5);
  ASSERT_TRUE(slope.has_value());
  EXPECT_NEAR(slope->low, 1.5 - std::sqrt(1.0 / 12), kRounding);
  EXPECT_NEAR(slope->high, 1.5 + std::sqrt(1.0 / 12), kRounding);
  // At x = 1 the mean is 7/3 with variance s^2/3; a new observation of weight 2 adds s^2/2.
  EXPECT_NEAR(MeanInterval(fit, {1, 1}, 0.5)->high, 7.0 / 3 + std::sqrt(1.0 / 18), kRounding);
  EXPECT_NEAR(PredictionInterval(fit, {1, 1}, 2, 0.5)->high, 7.0 / 3 + std::sqrt((1.0 / 3 + 1.0 / 2) / 6), kRounding);
}

TEST(LeastSquaresTest, AWeightIsThatManyObservations) {
  const LeastSquaresFit weighted = Fit({{{1, 0}, {1, 1}, {1, 2}}, {1, 2, 4}, {1, 3, 1}});
  const LeastSquaresFit repeated = Fit({{{1, 0}, {1, 1}, {1, 1}, {1, 1}, {1, 2}}, {1, 2, 2, 2, 4}, {}});
  for (int j = 0; j < 2; ++j) {
    EXPECT_NEAR(weighted.parameters[j], repeated.parameters[j], kRounding);
    EXPECT_NEAR(weighted.unscaled_covariance[j][j], repeated.unscaled_covariance[j][j], kRounding);
  }
}

TEST(LeastSquaresTest, ParametersMayDifferByManyPowersOfTen) {
  // 1e-5 + 4e-12 * S at 1 KB and 1 GiB.
  const double large = 1 << 30;
  const LeastSquaresFit fit = Fit({{{1, 1024}, {1, large}}, {1e-5 + 4e-12 * 1024, 1e-5 + 4e-12 * large}, {}});
  EXPECT_NEAR(fit.parameters[0] / 1e-5, 1, 1e-9);  // the difference of 1e-5 is small compared with 4.3e-3: three digits
                                                   // are lost
  EXPECT_NEAR(fit.parameters[1] / 4e-12, 1, kRounding);
}

TEST(LeastSquaresTest, WithoutDegreesOfFreedomThereAreNoIntervals) {
  const LeastSquaresFit fit = Fit({{{1, 0}, {1, 1}}, {1, 2}, {}});
  EXPECT_EQ(fit.degrees_of_freedom, 0);
  EXPECT_FALSE(ParameterInterval(fit, 0, 0.95).has_value());
  EXPECT_FALSE(PredictionInterval(fit, {1, 5}, 1, 0.95).has_value());
}

TEST(LeastSquaresTest, NonNegativeHoldsAParameterAtZero) {
  // The line through (1, 0), (2, 2), (3, 4) has intercept -2; through the origin it is (4 + 12) / 14.
  const auto held = FitNonNegative({{{1, 1}, {1, 2}, {1, 3}}, {0, 2, 4}, {}});
  ASSERT_THAT(held, IsOk());
  EXPECT_THAT(*held, ElementsAre(0, DoubleNear(16.0 / 14, kRounding)));
  const auto free = FitNonNegative(kLine);
  ASSERT_THAT(free, IsOk());
  EXPECT_THAT(*free, ElementsAre(DoubleNear(5.0 / 6, kRounding), DoubleNear(1.5, kRounding)));
  const auto all_held = FitNonNegative({{{1}, {1}}, {-1, -2}, {}});
  ASSERT_THAT(all_held, IsOk());
  EXPECT_THAT(*all_held, ElementsAre(0));
}

TEST(LeastSquaresTest, RefusesWhatHasNoBestParameters) {
  const auto refused = [](const LeastSquaresProblem& problem, const std::string& why) {
    EXPECT_THAT(FitLeastSquares(problem), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(why)));
    EXPECT_THAT(FitNonNegative(problem), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(why)));
  };
  refused({}, "found 0 and 0");
  refused({{{1, 2}}, {1}, {}}, "found 1 and 2");
  refused({{{1}, {1}}, {1}, {}}, "expected 2 values");
  refused({{{1}, {1}}, {1, 1}, {1}}, "as many weights");
  refused({{{1}, {1}}, {1, 1}, {1, 0}}, "observation 2");
  refused({{{1}, {1, 2}}, {1, 1}, {}}, "observation 2");
  refused({{{1}, {std::numeric_limits<double>::infinity()}}, {1, 1}, {}}, "observation 2");
  refused({{{1, 2}, {1, 2}, {1, 2}}, {1, 2, 3}, {}}, "depend on one another");
  refused({{{1, 0}, {1, 0}}, {1, 2}, {}}, "column of zeros");
}

}  // namespace
}  // namespace lockstep
