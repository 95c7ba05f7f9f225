#include "lib/collectives/all_reduce_fit.h"

#include <cstdio>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

AllReducePoint Point(uint64_t size, std::vector<double> seconds, uint32_t ranks = 4) {
  return {ranks, size, true, std::move(seconds), "a.json"};
}

// 10 s + 1 s/B, with errors of a few per mille.
std::vector<AllReducePoint> NearlyALine() {
  return {Point(1, {11.01}),  Point(2, {11.99}),  Point(4, {14.02}),  Point(8, {17.97}),
          Point(16, {26.02}), Point(32, {41.95}), Point(64, {74.05}), Point(128, {137.9})};
}

AllReduceFitOptions Asking(double median, double worst, int degrees_of_freedom = 1) {
  AllReduceFitOptions options;
  options.acceptance = {median, worst, degrees_of_freedom, 0};
  return options;
}

AllReduceFit Fit(const std::vector<AllReducePoint>& points, const AllReduceFitOptions& options) {
  const auto fit = FitAllReduce(points, options);
  EXPECT_THAT(fit, IsOk());
  return fit.value_or(AllReduceFit{});
}

TEST(AllReduceFitTest, AGoodFitPredicts) {
  const AllReduceFit fit = Fit(NearlyALine(), Asking(0.01, 0.01));
  EXPECT_THAT(fit.rejected, IsEmpty());
  EXPECT_EQ(fit.ranks, 4u);
  ASSERT_EQ(fit.left_out.size(), 8u);
  EXPECT_TRUE(fit.left_out.front().extrapolated);
  EXPECT_FALSE(fit.left_out[3].extrapolated);
  const auto predicted = PredictAllReduce(fit, 20, Extrapolation::kRefused);
  ASSERT_THAT(predicted, IsOk());
  EXPECT_NEAR(predicted->seconds, 30, 0.1);
  ASSERT_TRUE(predicted->interval.has_value());
  EXPECT_LT(predicted->interval->low, 30);
  EXPECT_GT(predicted->interval->high, 30);
}

TEST(AllReduceFitTest, LeaveOneOutByHand) {
  // Without one of three points, a line goes through the other two: (2, 4) (3, 9) at 1 is -1, held at alpha = 0. The
  // others: (1, 1) (3, 9) at 2 is 5; (1, 1) (2, 4) at 3 is 7. alpha >= 0 changes all three to lines through 0 that fit
  // worse.
  const AllReduceFit fit = Fit({Point(1, {3}), Point(2, {4}), Point(3, {6})}, Asking(1, 1));
  ASSERT_EQ(fit.left_out.size(), 3u);
  EXPECT_NEAR(fit.left_out[0].predicted_seconds, 2, 1e-9);    // 4 - (6 - 4)
  EXPECT_NEAR(fit.left_out[1].predicted_seconds, 4.5, 1e-9);  // (3 + 6) / 2
  EXPECT_NEAR(fit.left_out[2].predicted_seconds, 5, 1e-9);    // 4 + (4 - 3)
  EXPECT_NEAR(fit.left_out[1].relative_error, 0.125, 1e-9);
  EXPECT_NEAR(*fit.median_relative_error, 1.0 / 6, 1e-9);  // median of 1/3, 1/8, 1/6
  EXPECT_NEAR(*fit.worst_relative_error, 1.0 / 3, 1e-9);
}

TEST(AllReduceFitTest, AFitThatFailsPredictsNothing) {
  for (const auto& [options, why] : {std::pair(Asking(1e-6, 1), "the median leave-one-out error is 0."),
                                     {Asking(1, 1e-6), "the worst leave-one-out error is 0."},
                                     {Asking(1, 1, 7), "6 degrees of freedom, at least 7"},
                                     {AllReduceFitOptions{}, "at most 0.00 % is allowed"}}) {
    const AllReduceFit fit = Fit(NearlyALine(), options);
    EXPECT_THAT(fit.rejected, HasSubstr(why));
    EXPECT_THAT(PredictAllReduce(fit, 20, Extrapolation::kAllowed),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(why)));
  }
}

TEST(AllReduceFitTest, SmallSizesMayBeLeftOutOfTheScore) {
  std::vector<AllReducePoint> points = NearlyALine();
  points[0].seconds = {5};
  AllReduceFitOptions options = Asking(0.05, 0.1);
  options.max_pieces = 1;
  EXPECT_THAT(Fit(points, options).rejected, HasSubstr("leave-one-out error"));
  options.acceptance.scored_from_bytes = 1000;
  EXPECT_THAT(Fit(points, options).rejected, HasSubstr("no size could be left out"));
  options.acceptance.scored_from_bytes = 2;
  const AllReduceFit fit = Fit(points, options);
  EXPECT_FALSE(fit.left_out[0].scored);
  EXPECT_TRUE(fit.left_out[1].scored);
}

TEST(AllReduceFitTest, ExtrapolatesOnlyWhenAsked) {
  const AllReduceFit fit = Fit(NearlyALine(), Asking(0.01, 0.01));
  EXPECT_THAT(PredictAllReduce(fit, 129, Extrapolation::kRefused),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("1 to 128 bytes, found 129")));
  const auto predicted = PredictAllReduce(fit, 1000, Extrapolation::kAllowed);
  ASSERT_THAT(predicted, IsOk());
  EXPECT_TRUE(predicted->extrapolated);
  EXPECT_NEAR(predicted->seconds, 1010, 10);
  EXPECT_THAT(PredictAllReduce(fit, -1, Extrapolation::kAllowed),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("found -1")));
}

TEST(AllReduceFitTest, ASizeCountsOnceAsTheMedianOfItsSamples) {
  const AllReduceFit fit = Fit({Point(1, {1, 100, 3}), Point(2, {4}), Point(1, {2, 4}), Point(3, {6})}, Asking(1, 1));
  ASSERT_EQ(fit.left_out.size(), 3u);
  EXPECT_EQ(fit.left_out[0].measured_seconds, 3);  // median of 1, 2, 3, 4, 100
}

TEST(AllReduceFitTest, RefusesPointsOfSeveralKinds) {
  EXPECT_THAT(FitAllReduce({Point(1, {1}), Point(2, {2}, 2)}, Asking(1, 1)),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("another kind at a.json")));
  EXPECT_THAT(FitAllReduce({}, Asking(1, 1)), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("found 0")));
}

// NCCL 2.28.9 in a CUDA graph, fp32 sum, multicast off, back to back, microseconds (H200, November 2026).
constexpr uint64_t kSizes[] = {1 << 10, 1 << 16, 1 << 19, 1 << 21, 1 << 23, 44'695'848, 1 << 26, 1 << 30};
constexpr double kFourRanks[] = {12.0, 13.9, 16.7, 28.4, 61.3, 223, 322, 4550};
constexpr double kTwoRanks[] = {9.0, 10.2, 13.0, 30.4, 48.2, 176, 250, 3259};

AllReduceFit FitOfFacts(const double (&microseconds)[8], uint32_t ranks) {
  std::vector<AllReducePoint> points;
  for (int i = 0; i < 8; ++i) {
    points.push_back(Point(kSizes[i], {microseconds[i] * 1e-6}, ranks));
  }
  AllReduceFitOptions options = Asking(0.05, 0.2);
  options.acceptance.scored_from_bytes = 1 << 16;
  const AllReduceFit fit = Fit(points, options);
  for (const AlphaBetaPiece& piece : fit.model.pieces) {
    std::printf("%u ranks: %.0f to %.0f B: %.2f us + S / %.1f GB/s\n", ranks, piece.first_bytes, piece.last_bytes,
                piece.alpha_seconds * 1e6, 1e-9 / piece.beta_seconds_per_byte);
  }
  for (const LeftOutSize& size : fit.left_out) {
    std::printf("  without %llu B: %+.1f %%\n", static_cast<unsigned long long>(size.size_bytes),
                100 * size.relative_error);
  }
  std::printf("  median %.1f %%, worst %.1f %%; %s\n", 100 * *fit.median_relative_error,
              100 * *fit.worst_relative_error, fit.rejected.c_str());
  return fit;
}

// Eight sizes, up to 16 times apart: few for a library that changes its protocol twice.
TEST(AllReduceFitTest, FourHoppers) {
  const AllReduceFit fit = FitOfFacts(kFourRanks, 4);
  EXPECT_THAT(fit.rejected, IsEmpty());
  EXPECT_LT(*fit.median_relative_error, 0.05);
}

// From 0.5 to 2 MB, four times the bytes, the time more than doubles; from 2 to 8 MB it does not. No line through the
// other sizes predicts this, so the fit must be rejected.
TEST(AllReduceFitTest, TwoHoppersAreRejected) {
  const AllReduceFit fit = FitOfFacts(kTwoRanks, 2);
  EXPECT_THAT(fit.rejected, HasSubstr("leave-one-out error"));
}

}  // namespace
}  // namespace lockstep
