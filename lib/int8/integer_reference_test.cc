#include "lib/int8/integer_reference.h"

#include <algorithm>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/requantize.h"

namespace lockstep {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

// A convolution of two outputs on one 3 x 3 plane with 2 x 2 kernels; what follows is up to the test.
IntegerNetwork OneConvolution() {
  IntegerLayer layer;
  layer.shape = {"conv", LayerKind::kConv2d, 1, 3, 3, 2, 2, /*relu=*/false, /*pool=*/0};
  layer.weight = {1, 0,  0,  1,   // output 0: top left + bottom right
                  0, -1, -1, 0};  // output 1: -(top right + bottom left)
  layer.multiplier = 0.5f;
  IntegerNetwork network;
  network.layers.push_back(layer);
  return network;
}

constexpr int8_t kPlane[] = {1, 2, 3,  //
                             4, 5, 6,  //
                             7, 8, 9};
// Sums: output 0: 6 8 12 14; output 1: -6 -8 -12 -14.

TEST(RunIntegerTest, AConvolutionByHand) {
  EXPECT_THAT(RunInteger(OneConvolution(), kPlane), ElementsAre(3, 4, 6, 7, -3, -4, -6, -7));
}

TEST(RunIntegerTest, TheBiasIsAddedToTheAccumulator) {
  IntegerNetwork network = OneConvolution();
  network.layers[0].bias = {1, 300};  // sums 7 9 13 15, and 294 292 288 286
  EXPECT_THAT(RunInteger(network, kPlane),
              ElementsAre(4, 4, 6, 8, 127, 127, 127, 127));  // 3.5 4.5 6.5 7.5: ties to even
}

TEST(RunIntegerTest, ReluThenPooling) {
  IntegerNetwork network = OneConvolution();
  network.layers[0].shape.relu = true;
  EXPECT_THAT(RunInteger(network, kPlane), ElementsAre(3, 4, 6, 7, 0, 0, 0, 0));
  network.layers[0].shape.pool = 2;
  EXPECT_THAT(RunInteger(network, kPlane), ElementsAre(7, 0));
}

TEST(RunIntegerTest, ALayerReadsWhatTheOneBeforeGave) {
  IntegerNetwork network = OneConvolution();
  IntegerLayer last;
  last.shape = {"fc", LayerKind::kLinear, 8, 1, 1, 1, 1, false, 0};
  last.weight = {1, 1, 1, 1, -1, -1, -1, -1};  // 3+4+6+7 + 3+4+6+7
  network.layers.push_back(last);
  EXPECT_THAT(RunInteger(network, kPlane), ElementsAre(40));
}

TEST(RunIntegerTest, SaturatesAndCountsWhatClampingChanged) {
  IntegerNetwork network = OneConvolution();
  network.layers[0].multiplier = 16;  // 96 128 192 224, and the same negative
  std::vector<IntegerTrace> trace(1);
  EXPECT_THAT(RunInteger(network, kPlane, &trace), ElementsAre(96, 127, 127, 127, -96, -128, -128, -128));
  EXPECT_EQ(trace[0].saturated, 3u + 2u);  // -128 is itself
  EXPECT_EQ(trace[0].outputs, 8u);
  EXPECT_EQ(trace[0].accumulator_max_abs, 14);

  network.layers[0].shape.relu = true;  // what ReLU makes 0 has lost nothing by clamping
  RunInteger(network, kPlane, &trace);
  EXPECT_EQ(trace[0].saturated, 5u + 3u);
  EXPECT_EQ(trace[0].outputs, 16u);
}

TEST(RunIntegerTest, ABiasThatIsNotRoundedShiftsByItsFraction) {
  IntegerNetwork network = OneConvolution();
  network.layers[0].float_bias = {0.25f, -0.25f};  // 3.125 4.125 6.125 7.125: below the next tie, so as without
  EXPECT_THAT(RunInteger(network, kPlane), ElementsAre(3, 4, 6, 7, -3, -4, -6, -7));
  network.layers[0].float_bias = {1.25f, -1.25f};  // 3.625 4.625 6.625 7.625
  EXPECT_THAT(RunInteger(network, kPlane), ElementsAre(4, 5, 7, 8, -4, -5, -7, -8));
}

// Sums of at most 4 * 127 * 128 and biases below 2^20: all exact in float32.
TEST(RunIntegerTest, AnIntegerFloatBiasIsTheIntegerBias) {
  std::mt19937 random(1);
  IntegerNetwork integer = OneConvolution();
  integer.layers[0].multiplier = 0.0031f;
  IntegerNetwork floating = integer;
  integer.layers[0].bias = {12'345, -6'789};
  floating.layers[0].float_bias = {12'345, -6'789};
  for (int i = 0; i < 1000; ++i) {
    std::vector<int8_t> plane(9);
    std::generate(plane.begin(), plane.end(), [&] { return static_cast<int8_t>(random() & 0xFF); });
    ASSERT_EQ(RunInteger(integer, plane.data()), RunInteger(floating, plane.data())) << i;
  }
}

TEST(RunIntegerTest, OneOutputIsTheRequantizedSum) {
  std::mt19937 random(2);
  IntegerNetwork network;
  IntegerLayer layer;
  layer.shape = {"fc", LayerKind::kLinear, 400, 1, 1, 1, 1, false, 0};
  layer.multiplier = 0.00031f;
  layer.weight.resize(400);
  network.layers.push_back(layer);
  for (int repeat = 0; repeat < 1000; ++repeat) {
    std::vector<int8_t> input(400);
    int32_t sum = 0;
    for (size_t i = 0; i < input.size(); ++i) {
      input[i] = static_cast<int8_t>(random() & 0xFF);
      network.layers[0].weight[i] = static_cast<int8_t>(static_cast<int>(random() % 255) - 127);
      sum += input[i] * network.layers[0].weight[i];
    }
    ASSERT_THAT(RunInteger(network, input.data()), ElementsAre(Requantize(sum, 0.00031f))) << repeat;
  }
}

TEST(QuantizeImageTest, BytesBecomeScaledAndClampedIntegers) {
  std::vector<uint8_t> pixels(kImageBytes, 0);
  std::fill_n(pixels.begin() + kPlaneBytes, kPlaneBytes, 255);
  std::fill_n(pixels.begin() + 2 * kPlaneBytes, kPlaneBytes, 51);  // 51 / 255 = 0.2
  // Normalised: 0 - 0.5 = -0.5; (1 - 0.5) / 0.25 = 2; (0.2 - 0) / 0.0625 = 3.2.
  const NormalizationTable table = MakeNormalizationTable({0.5f, 0.5f, 0.0f}, {1.0f, 0.25f, 0.0625f});
  const std::vector<int8_t> image = QuantizeImage(pixels.data(), table, 41);
  ASSERT_EQ(image.size(), kImageBytes);
  const auto plane = [&](uint32_t c) {
    return std::vector<int8_t>(image.begin() + c * kPlaneBytes, image.begin() + (c + 1) * kPlaneBytes);
  };
  EXPECT_THAT(plane(0), Each(-20));  // -20.5: a tie
  EXPECT_THAT(plane(1), Each(82));
  EXPECT_THAT(plane(2), Each(127));  // 131.2
}

}  // namespace
}  // namespace lockstep
