#include "lib/int8/plain_layers.h"

#include <cstdint>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;

TEST(WeightedSumTest, OneChannelByHand) {
  const LayerShape shape = ConvShape("conv", 0, {3, 3, 1}, 1, 2);
  const std::vector<int8_t> input = {1, 2, 3,  //
                                     4, 5, 6,  //
                                     7, 8, 9};
  const std::vector<int8_t> weight = {1, 0,  //
                                      0, -1};
  std::vector<int32_t> output(4);
  WeightedSum<int8_t, int32_t>(shape, input.data(), 0, weight.data(), nullptr, output.data());
  EXPECT_THAT(output, ElementsAre(1 - 5, 2 - 6, 4 - 8, 5 - 9));
}

// The kernel is not flipped: a weight at the top left meets the pixel at the top left.
TEST(WeightedSumTest, IsACrossCorrelation) {
  const LayerShape shape = ConvShape("conv", 0, {2, 2, 1}, 1, 2);
  const std::vector<float> input = {1, 10, 100, 1000};
  const std::vector<float> weight = {1, 2, 3, 4};
  float output = 0;
  WeightedSum<float, float>(shape, input.data(), 0, weight.data(), nullptr, &output);
  EXPECT_EQ(output, 4321.0f);
}

TEST(WeightedSumTest, SumsChannelsAndAddsEachOutputsBias) {
  const LayerShape shape = ConvShape("conv", 0, {1, 2, 2}, 2, 1);
  const std::vector<int8_t> input = {1, 10,    // the left pixel's two channels
                                     2, 20};   // the right pixel's two channels
  const std::vector<int8_t> weight = {1, 1,    // output 0
                                      -1, 3};  // output 1
  const std::vector<int32_t> bias = {1000, -2000};
  std::vector<int32_t> output(4);
  WeightedSum(shape, input.data(), 0, weight.data(), bias.data(), output.data());
  EXPECT_THAT(output, ElementsAre(1011, -2000 - 1 + 30, 1022, -2000 - 2 + 60));
}

TEST(WeightedSumTest, PaddingIsWorthNothingWhateverTheZeroPoint) {
  LayerShape shape = ConvShape("conv", 0, {2, 2, 1}, 1, 3);
  shape.padding = 1;
  const std::vector<int8_t> weight = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  const std::vector<int8_t> input = {-128, -127, -126, -125};  // 0 1 2 3 above the zero point
  std::vector<int32_t> output(4);
  WeightedSum<int8_t, int32_t>(shape, input.data(), -128, weight.data(), nullptr, output.data());
  EXPECT_THAT(output, ElementsAre(6, 6, 6, 6));  // each kernel covers all four pixels
}

TEST(WeightedSumTest, StrideLeavesPlacesOut) {
  LayerShape shape = ConvShape("conv", 0, {5, 5, 1}, 1, 1);
  shape.stride = 2;
  std::vector<int8_t> input(25);
  std::iota(input.begin(), input.end(), int8_t{0});
  const int8_t weight = 1;
  std::vector<int32_t> output(9);
  WeightedSum<int8_t, int32_t>(shape, input.data(), 0, &weight, nullptr, output.data());
  EXPECT_THAT(output, ElementsAre(0, 2, 4, 10, 12, 14, 20, 22, 24));
}

TEST(WeightedSumTest, StrideAndPaddingBegin) {
  LayerShape shape = ConvShape("conv", 0, {4, 4, 1}, 1, 3);
  shape.stride = 2;
  shape.padding = 1;
  const std::vector<int8_t> input(16, 1), weight(9, 1);
  std::vector<int32_t> output(4);
  WeightedSum<int8_t, int32_t>(shape, input.data(), 0, weight.data(), nullptr, output.data());
  EXPECT_THAT(output, ElementsAre(4, 6, 6, 9));  // the kernels begin at -1 and 1
}

TEST(WeightedSumTest, ExtremeProductsAreExact) {
  const LayerShape shape = ConvShape("conv", 0, {5, 5, 16}, 1, 5);
  const std::vector<int8_t> input(400, -128), weight(400, -127);
  int32_t output = 0;
  WeightedSum<int8_t, int32_t>(shape, input.data(), 0, weight.data(), nullptr, &output);
  EXPECT_EQ(output, 400 * 127 * 128);
  WeightedSum<int8_t, int32_t>(shape, input.data(), 127, weight.data(), nullptr, &output);
  EXPECT_EQ(output, 400 * 127 * 255);
}

// (2 channels, 1 x 2 pixels): PyTorch flattens channel by channel, so weights 0 and 1 are of channel 0.
TEST(WeightedSumTest, AFullyConnectedLayerReadsChannelByChannel) {
  const LayerShape shape = LinearShape("fc", 0, {2, 2, 2}, 1);
  const std::vector<int8_t> input = {1, 10,  // pixel (0, 0): channels 0 and 1
                                     2, 20,  // (0, 1)
                                     3, 30,  // (1, 0)
                                     4, 40};
  const std::vector<int8_t> weight = {1, 2, 3, 4, 5, 6, 7, 8};
  const int32_t bias = 1000;
  int32_t output = 0;
  WeightedSum(shape, input.data(), 0, weight.data(), &bias, &output);
  EXPECT_EQ(output, 1000 + 1 * 1 + 2 * 2 + 3 * 3 + 4 * 4 + 5 * 10 + 6 * 20 + 7 * 30 + 8 * 40);
}

TEST(SumPixelsTest, EachChannelLessItsZeroPoint) {
  const LayerShape shape = GlobalAveragePoolShape("pool", 0, {1, 3, 2});
  const std::vector<int8_t> input = {1, -1, 2, -2, 3, -3};
  std::vector<int32_t> output(2);
  SumPixels<int8_t, int32_t>(shape, input.data(), -10, output.data());
  EXPECT_THAT(output, ElementsAre(36, 24));
}

TEST(ReluTest, NegativeBecomesZero) {
  std::vector<int8_t> values = {-128, -1, 0, 1, 127};
  Relu(values.data(), values.size());
  EXPECT_THAT(values, ElementsAre(0, 0, 0, 1, 127));
}

TEST(ReluTest, BelowTheZeroPointBecomesTheZeroPoint) {
  std::vector<int8_t> values = {-128, -6, -5, 0, 127};
  Relu(values.data(), values.size(), int8_t{-5});
  EXPECT_THAT(values, ElementsAre(-5, -5, -5, 0, 127));
}

TEST(MaxPoolTest, TheLargestOfEachWindowOfEachChannel) {
  LayerShape shape = ConvShape("conv", 0, {2, 4, 1}, 2, 1);
  shape.pool = 2;
  const std::vector<int8_t> input = {1, -1, 2, -2, 3, -3, 4, -4,  // channels 0 and 1 of each pixel
                                     5, -5, 6, -6, 8, -8, 7, -7};
  std::vector<int8_t> output(4);
  MaxPool(shape, input.data(), output.data());
  EXPECT_THAT(output, ElementsAre(6, -1, 8, -3));
}

TEST(MaxPoolTest, LeavesOutWhatDoesNotFillAWindow) {
  LayerShape shape = ConvShape("conv", 0, {3, 3, 1}, 1, 1);
  shape.pool = 2;
  const std::vector<float> input = {1, 2, 9,  //
                                    3, 4, 9,  //
                                    9, 9, 9};
  float output = 0;
  MaxPool(shape, input.data(), &output);
  EXPECT_EQ(output, 4.0f);
}

}  // namespace
}  // namespace lockstep
