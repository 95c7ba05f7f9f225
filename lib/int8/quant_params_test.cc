#include "lib/int8/quant_params.h"

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(RangeSummaryTest, Empty) {
  const RangeSummary summary;
  EXPECT_EQ(summary.MaxAbs(), 0);
  EXPECT_EQ(summary.ThreeSigma(), 0);
  EXPECT_TRUE(summary.finite());
}

TEST(RangeSummaryTest, ByHand) {
  RangeSummary summary;
  const float first[] = {1, -3}, second[] = {1, 1};
  summary.Add(first, 2);
  summary.Add(second, 2);
  EXPECT_EQ(summary.min(), -3);
  EXPECT_EQ(summary.max(), 1);
  EXPECT_EQ(summary.MaxAbs(), 3);
  EXPECT_EQ(summary.ThreeSigma(), 3 * std::sqrt(3.0));  // mean 0, E[x^2] = 12 / 4: exact in double
}

TEST(RangeSummaryTest, AConstantHasNoSpread) {
  RangeSummary summary;
  const float values[] = {-2, -2, -2};
  summary.Add(values, 3);
  EXPECT_EQ(summary.ThreeSigma(), 2);
}

TEST(RangeSummaryTest, NanAndInfinityAreNoticed) {
  RangeSummary summary;
  summary.Add(&kInfinity, 1);
  EXPECT_FALSE(summary.finite());
}

TEST(QuantizeWeightsTest, MaxAbsBecomes127) {
  const auto tensor = QuantizeWeights({1.0f, -2.0f, 0.0f, 0.5f}, proto::MAX_ABS, "w");
  ASSERT_THAT(tensor, IsOk());
  EXPECT_EQ(tensor->scale, 63.5);
  // 63.5 is a tie and goes to 64, 31.75 to 32.
  EXPECT_THAT(tensor->values, ElementsAre(64, -127, 0, 32));
  EXPECT_EQ(tensor->saturated, 0u);
  EXPECT_EQ(tensor->max_abs, 2);
}

TEST(QuantizeWeightsTest, TiesGoToTheEvenNeighbour) {
  // Scale 1: max|w| is 127.
  const auto tensor = QuantizeWeights({127, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f}, proto::MAX_ABS, "w");
  ASSERT_THAT(tensor, IsOk());
  EXPECT_THAT(tensor->values, ElementsAre(127, 0, 2, 2, 0, -2, -2));
}

TEST(QuantizeWeightsTest, ThreeSigmaSaturatesWhatLiesBeyond) {
  // 98 zeros, 10 and -10: mean 0, variance 200 / 100 = 2, three sigma 4.243; 10 is beyond it.
  std::vector<float> weights(98, 0.0f);
  weights.insert(weights.end(), {10.0f, -10.0f});
  const auto tensor = QuantizeWeights(weights, proto::THREE_SIGMA, "w");
  ASSERT_THAT(tensor, IsOk());
  EXPECT_EQ(tensor->scale, 127 / (3 * std::sqrt(2.0)));
  EXPECT_EQ(tensor->values[98], 127);
  EXPECT_EQ(tensor->values[99], -127);
  EXPECT_EQ(tensor->saturated, 2u);
}

TEST(QuantizeWeightsTest, ThreeSigmaNeverReachesBeyondTheLargestWeight) {
  // +-1: sigma 1, three sigma 3, but no weight is larger than 1.
  const auto tensor = QuantizeWeights({1, -1, 1, -1}, proto::THREE_SIGMA, "w");
  ASSERT_THAT(tensor, IsOk());
  EXPECT_EQ(tensor->scale, 127);
  EXPECT_THAT(tensor->values, ElementsAre(127, -127, 127, -127));
}

TEST(QuantizeWeightsTest, AllZeroStaysZeroWithScaleOne) {
  for (const proto::WeightRange range : {proto::MAX_ABS, proto::THREE_SIGMA}) {
    const auto tensor = QuantizeWeights({0, 0, 0}, range, "w");
    ASSERT_THAT(tensor, IsOk());
    EXPECT_EQ(tensor->scale, 1);
    EXPECT_THAT(tensor->values, ElementsAre(0, 0, 0));
  }
}

TEST(QuantizeWeightsTest, RejectsNanAndInfinityAndNamesThem) {
  EXPECT_THAT(
      QuantizeWeights({0, kNan}, proto::MAX_ABS, "conv1.weight"),
      StatusIs(absl::StatusCode::kFailedPrecondition, AllOf(HasSubstr("conv1.weight: value 1"), HasSubstr("nan"))));
  EXPECT_THAT(QuantizeWeights({-kInfinity, 1}, proto::MAX_ABS, "fc1.weight"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("fc1.weight: value 0 is -inf")));
}

// Returns weights with these scales; their values do not matter.
QuantizedTensor WithScales(std::vector<double> channel_scale, double scale) {
  QuantizedTensor weights;
  weights.channel_scale = std::move(channel_scale);
  weights.scale = scale;
  return weights;
}

TEST(QuantizeChannelsTest, EachChannelHasItsOwnScale) {
  const auto tensor = QuantizeChannels({1.0f, -2.0f, 0.5f, 0.25f}, 2, {}, 1, proto::MAX_ABS, "w");
  ASSERT_THAT(tensor, IsOk());
  EXPECT_THAT(tensor->channel_scale, ElementsAre(63.5, 254));
  EXPECT_EQ(tensor->scale, 63.5);
  EXPECT_THAT(tensor->values, ElementsAre(64, -127, 127, 64));  // 63.5, the first and the last, is a tie and goes to 64
}

TEST(QuantizeChannelsTest, AChannelOfZerosTakesTheTensorsScale) {
  const auto tensor = QuantizeChannels({0, 0, 2, 1}, 2, {3, 4}, 1, proto::MAX_ABS, "w");
  ASSERT_THAT(tensor, IsOk());
  EXPECT_THAT(tensor->channel_scale, ElementsAre(63.5, 63.5));
  EXPECT_THAT(tensor->values, ElementsAre(0, 0, 127, 64));
}

TEST(QuantizeChannelsTest, AChannelOfTinyWeightsLosesDigitsBeforeItsBiasOverflows) {
  const std::vector<float> weights = {1, 1, 1e-9f, -1e-9f}, bias = {1, 1};
  const auto tensor = QuantizeChannels(weights, 2, bias, 50, proto::MAX_ABS, "w");
  ASSERT_THAT(tensor, IsOk());
  EXPECT_EQ(tensor->channel_scale[1], (1 << 30) / 50.0);
  const auto quantized = QuantizeBias(bias, 50, *tensor, "b");
  ASSERT_THAT(quantized, IsOk());
  EXPECT_EQ((*quantized)[1], 1 << 30);
  EXPECT_THAT(tensor->values, ElementsAre(127, 127, 0, 0));
}

TEST(QuantizeChannelsTest, RejectsNanAndNamesIt) {
  EXPECT_THAT(QuantizeChannels({1, kNan}, 2, {}, 1, proto::MAX_ABS, "conv1.weight"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("conv1.weight: value 1")));
}

TEST(QuantizeBiasTest, EachChannelInItsOwnScale) {
  EXPECT_THAT(*QuantizeBias({1, 1}, 2, WithScales({3, 5}, 7), "b"), ElementsAre(6, 10));
}

TEST(QuantizeBiasTest, RoundsHalfToEvenInTheAccumulatorsScale) {
  const auto bias = QuantizeBias({0.5f, -1.5f, 0.625f, 3}, 2, WithScales({}, 2), "b");
  ASSERT_THAT(bias, IsOk());
  EXPECT_THAT(*bias, ElementsAre(2, -6, 2, 12));  // 2.5 is a tie
}

TEST(QuantizeBiasTest, TheLargestInt32StillFits) {
  EXPECT_THAT(*QuantizeBias({1, -1}, 2147483647.0, QuantizedTensor(), "b"), ElementsAre(2147483647, -2147483647));
}

TEST(QuantizeBiasTest, RejectsWhatInt32CannotHold) {
  EXPECT_THAT(QuantizeBias({0, 1}, 2147483648.0, QuantizedTensor(), "fc3.bias"),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("fc3.bias: value 1"), HasSubstr("int32 ends at 2147483647"))));
}

TEST(QuantizeBiasTest, RejectsNan) {
  EXPECT_THAT(QuantizeBias({kNan}, 1, QuantizedTensor(), "fc3.bias"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("value 0")));
}

TEST(AccumulatorBoundTest, TheWorstOutputCounts) {
  EXPECT_EQ(AccumulatorBound({1, -2, 3, 4}, {}, 2), 128 * 7);
  EXPECT_EQ(AccumulatorBound({1, -2, 3, 4}, {-1000, 5}, 2), 128 * 3 + 1000);
}

TEST(AccumulatorBoundTest, InputsReachFartherFromAZeroPointAtTheEnd) {
  EXPECT_EQ(AccumulatorBound({1, -2}, {}, 1, -128), 255 * 3);
  EXPECT_EQ(AccumulatorBound({1, -2}, {}, 1, 127), 255 * 3);
  EXPECT_EQ(AccumulatorBound({1, -2}, {}, 1, -1), 128 * 3);
}

TEST(AccumulatorBoundTest, BeyondInt32IsRejected) {
  EXPECT_THAT(CheckAccumulatorBound(2147483647, "fc1"), IsOk());
  EXPECT_THAT(CheckAccumulatorBound(2147483648, "fc1"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("fc1")));
}

}  // namespace
}  // namespace lockstep
