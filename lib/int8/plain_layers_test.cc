#include "lib/int8/plain_layers.h"

#include <cstdint>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;

TEST(Conv2dTest, OneChannelByHand) {
  const LayerShape shape = {"conv", LayerKind::kConv2d, 1, 3, 3, 1, 2, false, 0};
  const std::vector<int8_t> input = {1, 2, 3,  //
                                     4, 5, 6,  //
                                     7, 8, 9};
  const std::vector<int8_t> weight = {1, 0,  //
                                      0, -1};
  std::vector<int32_t> output(4);
  Conv2d<int8_t, int32_t>(shape, input.data(), weight.data(), nullptr, output.data());
  EXPECT_THAT(output, ElementsAre(1 - 5, 2 - 6, 4 - 8, 5 - 9));
}

// The kernel is not flipped: a weight at the top left meets the pixel at the top left.
TEST(Conv2dTest, IsACrossCorrelation) {
  const LayerShape shape = {"conv", LayerKind::kConv2d, 1, 2, 2, 1, 2, false, 0};
  const std::vector<float> input = {1, 10, 100, 1000};
  const std::vector<float> weight = {1, 2, 3, 4};
  float output = 0;
  Conv2d<float, float>(shape, input.data(), weight.data(), nullptr, &output);
  EXPECT_EQ(output, 4321.0f);
}

TEST(Conv2dTest, SumsChannelsAndAddsEachOutputsBias) {
  // Two inputs of 1 x 2, two outputs, 1 x 1 kernels.
  const LayerShape shape = {"conv", LayerKind::kConv2d, 2, 1, 2, 2, 1, false, 0};
  const std::vector<int8_t> input = {1, 2,     // channel 0
                                     10, 20};  // channel 1
  const std::vector<int8_t> weight = {1, 1,    // output 0
                                      -1, 3};  // output 1
  const std::vector<int32_t> bias = {1000, -2000};
  std::vector<int32_t> output(4);
  Conv2d(shape, input.data(), weight.data(), bias.data(), output.data());
  EXPECT_THAT(output, ElementsAre(1011, 1022, -2000 - 1 + 30, -2000 - 2 + 60));
}

TEST(Conv2dTest, ExtremeProductsAreExact) {
  const LayerShape shape = {"conv", LayerKind::kConv2d, 16, 5, 5, 1, 5, false, 0};
  const std::vector<int8_t> input(400, -128), weight(400, -127);
  int32_t output = 0;
  Conv2d<int8_t, int32_t>(shape, input.data(), weight.data(), nullptr, &output);
  EXPECT_EQ(output, 400 * 127 * 128);
}

TEST(LinearTest, ByHand) {
  const LayerShape shape = {"fc", LayerKind::kLinear, 3, 1, 1, 2, 1, false, 0};
  const std::vector<int8_t> input = {1, -2, 3};
  const std::vector<int8_t> weight = {4,  5, 6,  //
                                      -7, 8, 9};
  const std::vector<int32_t> bias = {100, 200};
  std::vector<int32_t> output(2);
  Linear(shape, input.data(), weight.data(), bias.data(), output.data());
  EXPECT_THAT(output, ElementsAre(100 + 4 - 10 + 18, 200 - 7 - 16 + 27));
}

TEST(ReluTest, NegativeBecomesZero) {
  std::vector<int8_t> values = {-128, -1, 0, 1, 127};
  Relu(values.data(), values.size());
  EXPECT_THAT(values, ElementsAre(0, 0, 0, 1, 127));
}

TEST(MaxPoolTest, TheLargestOfEachWindowOfEachChannel) {
  const LayerShape shape = {"conv", LayerKind::kConv2d, 1, 2, 4, 2, 1, false, 2};
  const std::vector<int8_t> input = {1,  2,  3,  4,   //
                                     5,  6,  8,  7,   // channel 0
                                     -1, -2, -3, -4,  //
                                     -5, -6, -8, -7};
  std::vector<int8_t> output(4);
  MaxPool(shape, input.data(), output.data());
  EXPECT_THAT(output, ElementsAre(6, 8, -1, -3));
}

TEST(MaxPoolTest, LeavesOutWhatDoesNotFillAWindow) {
  const LayerShape shape = {"conv", LayerKind::kConv2d, 1, 3, 3, 1, 1, false, 2};
  const std::vector<float> input = {1, 2, 9,  //
                                    3, 4, 9,  //
                                    9, 9, 9};
  float output = 0;
  MaxPool(shape, input.data(), &output);
  EXPECT_EQ(output, 4.0f);
}

}  // namespace
}  // namespace lockstep
