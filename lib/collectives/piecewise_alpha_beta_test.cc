#include "lib/collectives/piecewise_alpha_beta.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

PiecewiseAlphaBeta Fit(const std::vector<TimedSize>& times, int max_pieces = 4) {
  const auto fit = FitPiecewiseAlphaBeta(times, max_pieces, 0.95);
  EXPECT_THAT(fit, IsOk());
  return fit.value_or(PiecewiseAlphaBeta{});
}

// Relative: exact points are recovered up to the precision lost because the numbers of a column differ by a factor of
// 10^4.
constexpr double kRounding = 1e-9;

// 10 s + 1 s/B up to 16 B, then 26 s + 0.25 s/B: the lines cross at 21.33 B, between 16 and 32.
std::vector<TimedSize> TwoPieces() {
  return {{1, 11}, {2, 12}, {4, 14}, {8, 18}, {16, 26}, {32, 34}, {64, 42}, {128, 58}, {256, 90}, {512, 154}};
}

TEST(PiecewiseAlphaBetaTest, OneLine) {
  const PiecewiseAlphaBeta model = Fit({{1, 11}, {10, 20}, {100, 110}, {1000, 1010}});
  ASSERT_EQ(model.pieces.size(), 1u);
  EXPECT_NEAR(model.pieces[0].alpha_seconds, 10, 10 * kRounding);
  EXPECT_NEAR(model.pieces[0].beta_seconds_per_byte, 1, kRounding);
  EXPECT_EQ(model.pieces[0].points, 4);
  EXPECT_EQ(model.pieces[0].degrees_of_freedom, 2);
  EXPECT_EQ(model.degrees_of_freedom, 2);
  EXPECT_NEAR(PredictTime(model, 50).seconds, 60, 60 * kRounding);
}

TEST(PiecewiseAlphaBetaTest, TwoLinesThatCross) {
  const PiecewiseAlphaBeta model = Fit(TwoPieces());
  ASSERT_EQ(model.pieces.size(), 2u);
  EXPECT_NEAR(model.pieces[0].beta_seconds_per_byte, 1, kRounding);
  EXPECT_EQ(model.pieces[0].last_bytes, 16);
  EXPECT_NEAR(model.pieces[1].alpha_seconds, 26, 26 * kRounding);
  EXPECT_NEAR(model.pieces[1].beta_seconds_per_byte, 0.25, kRounding);
  EXPECT_EQ(model.pieces[1].first_bytes, 32);
  EXPECT_NEAR(model.pieces[1].from_bytes, 16 / 0.75, 1e-6);
  EXPECT_EQ(model.pieces[1].jump_seconds, 0);
  EXPECT_EQ(model.degrees_of_freedom, 10 - 4);
  EXPECT_NEAR(PredictTime(model, 20).seconds, 30, 1e-6);
  EXPECT_NEAR(PredictTime(model, 24).seconds, 32, 1e-6);
}

TEST(PiecewiseAlphaBetaTest, AJumpIsReported) {
  std::vector<TimedSize> times = TwoPieces();
  for (size_t i = 5; i < times.size(); ++i) {
    times[i].seconds += 100;
  }
  const PiecewiseAlphaBeta model = Fit(times);
  ASSERT_EQ(model.pieces.size(), 2u);
  const double from = std::sqrt(16.0 * 32.0);
  EXPECT_NEAR(model.pieces[1].from_bytes, from, 1e-9);
  EXPECT_NEAR(model.pieces[1].jump_seconds, 126 + 0.25 * from - (10 + from), 1e-6);
}

TEST(PiecewiseAlphaBetaTest, BetweenPiecesTheIntervalCoversBoth) {
  std::vector<TimedSize> times = TwoPieces();
  for (size_t i = 0; i < times.size(); ++i) {
    times[i].seconds += (i >= 5 ? 100 : 0) + (i % 2 == 0 ? 0.01 : -0.01);
  }
  const PiecewiseAlphaBeta model = Fit(times);
  ASSERT_EQ(model.pieces.size(), 2u);
  const auto inside = PredictTime(model, 10).interval;
  ASSERT_TRUE(inside.has_value());
  EXPECT_LT(inside->high - inside->low, 1);
  const auto between = PredictTime(model, 20).interval;
  EXPECT_LT(between->low, 30);    // the first line predicts 30
  EXPECT_GT(between->high, 131);  // the second line predicts 131
}

TEST(PiecewiseAlphaBetaTest, MaxPiecesIsKept) { EXPECT_EQ(Fit(TwoPieces(), 1).pieces.size(), 1u); }

TEST(PiecewiseAlphaBetaTest, ANegativeAlphaIsHeldAtZero) {
  // The points are on S - 0.5 exactly but for the last; the fit is a line through the origin with weights 1/t^2.
  const PiecewiseAlphaBeta model = Fit({{1, 0.5}, {2, 1.5}, {3, 2.5}, {4, 3.6}}, 1);
  EXPECT_EQ(model.pieces[0].alpha_seconds, 0);
  EXPECT_GT(model.pieces[0].beta_seconds_per_byte, 0);
  ASSERT_TRUE(model.pieces[0].alpha_interval.has_value());
  EXPECT_EQ(model.pieces[0].alpha_interval->low, 0);
  EXPECT_LE(model.pieces[0].beta_interval->low, model.pieces[0].beta_seconds_per_byte);
  EXPECT_GE(model.pieces[0].beta_interval->high, model.pieces[0].beta_seconds_per_byte);
}

TEST(PiecewiseAlphaBetaTest, OutsideOfTheMeasuredSizesIsReported) {
  const PiecewiseAlphaBeta model = Fit(TwoPieces());
  EXPECT_FALSE(PredictTime(model, 1).extrapolated);
  EXPECT_FALSE(PredictTime(model, 512).extrapolated);
  EXPECT_TRUE(PredictTime(model, 0.5).extrapolated);
  EXPECT_TRUE(PredictTime(model, 513).extrapolated);
}

TEST(PiecewiseAlphaBetaTest, TwoSizesGiveALineWithoutIntervals) {
  const PiecewiseAlphaBeta model = Fit({{1, 11}, {2, 12}});
  EXPECT_EQ(model.degrees_of_freedom, 0);
  EXPECT_FALSE(model.pieces[0].alpha_interval.has_value());
  EXPECT_FALSE(PredictTime(model, 1.5).interval.has_value());
}

TEST(PiecewiseAlphaBetaTest, RefusesWhatIsNoMeasurement) {
  const auto refused = [](const std::vector<TimedSize>& times, const std::string& why) {
    EXPECT_THAT(FitPiecewiseAlphaBeta(times, 4, 0.95), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(why)));
  };
  refused({{1, 1}}, "expected 2 or more sizes");
  refused({{1, 1}, {1, 2}}, "found 1 bytes after 1");
  refused({{1, 1}, {2, 0}}, "found 2 bytes in 0 s");
  EXPECT_THAT(FitPiecewiseAlphaBeta(TwoPieces(), 4, 1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("and 1")));
}

}  // namespace
}  // namespace lockstep
