#include "lib/int8/integer_reference.h"

#include <algorithm>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/int8/requantize.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;

// Returns a convolution with two outputs and 2 x 2 kernels on a 3 x 3 plane. Tests may change it or add layers.
IntegerNetwork OneConvolution() {
  IntegerLayer layer;
  layer.shape = ConvShape("conv", 0, {3, 3, 1}, 2, 2);
  layer.weight = {1, 0,  0,  1,   // output 0: top left + bottom right
                  0, -1, -1, 0};  // output 1: -(top right + bottom left)
  layer.multiplier = {0.5f, 0.5f};
  IntegerNetwork network;
  network.layers.push_back(layer);
  return network;
}

constexpr int8_t kPlane[] = {1, 2, 3,  //
                             4, 5, 6,  //
                             7, 8, 9};
// Sums: output 0: 6 8 12 14; output 1: -6 -8 -12 -14. The result holds both outputs of a pixel together.

TEST(RunIntegerTest, AConvolutionByHand) {
  EXPECT_THAT(RunInteger(OneConvolution(), kPlane), ElementsAre(3, -3, 4, -4, 6, -6, 7, -7));
}

TEST(RunIntegerTest, TheBiasIsAddedToTheAccumulator) {
  IntegerNetwork network = OneConvolution();
  network.layers[0].bias = {1, 300};  // sums 7 9 13 15, and 294 292 288 286
  EXPECT_THAT(RunInteger(network, kPlane),
              ElementsAre(4, 127, 4, 127, 6, 127, 8, 127));  // 3.5 4.5 6.5 7.5: ties to even
}

TEST(RunIntegerTest, ReluThenPooling) {
  IntegerNetwork network = OneConvolution();
  network.layers[0].shape.relu = true;
  EXPECT_THAT(RunInteger(network, kPlane), ElementsAre(3, 0, 4, 0, 6, 0, 7, 0));
  network.layers[0].shape.pool = 2;
  EXPECT_THAT(RunInteger(network, kPlane), ElementsAre(7, 0));
}

TEST(RunIntegerTest, ALayerReadsWhatTheOneBeforeGave) {
  IntegerNetwork network = OneConvolution();
  IntegerLayer last;
  last.shape = LinearShape("fc", 1, {2, 2, 2}, 1);
  last.weight = {1, 1, 1, 1, -1, -1, -1, -1};  // channel by channel: 3+4+6+7 + 3+4+6+7
  last.multiplier = {1};
  network.layers.push_back(last);
  EXPECT_THAT(RunInteger(network, kPlane), ElementsAre(40));
}

TEST(RunIntegerTest, SaturatesAndCountsWhatClampingChanged) {
  IntegerNetwork network = OneConvolution();
  network.layers[0].multiplier = {16, 16};  // sums 96 128 192 224 and their negatives
  std::vector<IntegerTrace> trace(1);
  EXPECT_THAT(RunInteger(network, kPlane, &trace), ElementsAre(96, -96, 127, -128, 127, -128, 127, -128));
  EXPECT_EQ(trace[0].saturated, 3u + 2u);  // -128 is not clamped
  EXPECT_EQ(trace[0].outputs, 8u);
  EXPECT_EQ(trace[0].accumulator_max_abs, 14);

  network.layers[0].shape.relu = true;  // a value that ReLU sets to 0 loses nothing by clamping
  RunInteger(network, kPlane, &trace);
  EXPECT_EQ(trace[0].saturated, 5u + 3u);
  EXPECT_EQ(trace[0].outputs, 16u);
}

TEST(RunIntegerTest, CountsWhatFixedPointWouldMakeDifferent) {
  IntegerNetwork network = OneConvolution();
  network.layers[0].multiplier = {0.0625f, 0.0625f};  // sums 6 8 12 14 and their negatives; 8 / 16 is a tie
  std::vector<IntegerTrace> trace(1);
  RunInteger(network, kPlane, &trace);
  uint64_t different = 0;
  for (const int sum : {6, 8, 12, 14, -6, -8, -12, -14}) {
    different += RequantizeFixedPoint(sum, ToFixedPoint(0.0625f)) != Requantize(sum, 0.0625f) ? 1 : 0;
  }
  EXPECT_EQ(trace[0].fixed_point_different, different);
  EXPECT_GT(different, 0u);
}

TEST(RunIntegerTest, ABiasThatIsNotRoundedShiftsByItsFraction) {
  IntegerNetwork network = OneConvolution();
  network.layers[0].float_bias = {0.25f, -0.25f};  // 3.125 4.125 6.125 7.125: below the next tie, so equal to the
                                                   // results without bias
  EXPECT_THAT(RunInteger(network, kPlane), ElementsAre(3, -3, 4, -4, 6, -6, 7, -7));
  network.layers[0].float_bias = {1.25f, -1.25f};  // 3.625 4.625 6.625 7.625
  EXPECT_THAT(RunInteger(network, kPlane), ElementsAre(4, -4, 5, -5, 7, -7, 8, -8));
}

// Sums of at most 4 * 127 * 128 and biases below 2^20: all exact in float32.
TEST(RunIntegerTest, AnIntegerFloatBiasIsTheIntegerBias) {
  std::mt19937 random(1);
  IntegerNetwork integer = OneConvolution();
  integer.layers[0].multiplier = {0.0031f, 0.0031f};
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
  layer.shape = LinearShape("fc", 0, {1, 1, 400}, 1);
  layer.multiplier = {0.00031f};
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

TEST(RunIntegerTest, EachOutputChannelHasItsMultiplier) {
  IntegerNetwork network = OneConvolution();
  network.layers[0].multiplier = {0.5f, 2.0f};
  EXPECT_THAT(RunInteger(network, kPlane), ElementsAre(3, -12, 4, -16, 6, -24, 7, -28));
}

TEST(RunIntegerTest, ZeroPointsOfInputAndOutput) {
  IntegerNetwork network = OneConvolution();
  network.input_zero_point = 1;  // the outputs' weights sum to 2 and -2: sums 4 6 10 12 and their negatives
  network.layers[0].zero_point = -100;
  EXPECT_THAT(RunInteger(network, kPlane), ElementsAre(-98, -102, -97, -103, -95, -105, -94, -106));
  network.layers[0].shape.relu = true;
  EXPECT_THAT(RunInteger(network, kPlane), ElementsAre(-98, -100, -97, -100, -95, -100, -94, -100));
}

TEST(RunIntegerTest, TheLastLayerMayWriteItsSums) {
  IntegerNetwork network = OneConvolution();
  network.layers[0].multiplier.clear();
  network.layers[0].bias = {1'000'000, 0};
  EXPECT_TRUE(network.HasSumLogits());
  EXPECT_THAT(RunInteger(network, kPlane), ElementsAre(1'000'006, -6, 1'000'008, -8, 1'000'012, -12, 1'000'014, -14));
}

// Adds the doubled image to the image itself.
TEST(RunIntegerTest, AnAdditionReadsTwoTensorsWithTheirOwnSteps) {
  IntegerNetwork network;
  IntegerLayer twice;
  twice.shape = ConvShape("twice", 0, {1, 3, 1}, 1, 1);
  twice.weight = {2};
  twice.multiplier = {1};
  twice.zero_point = 10;
  IntegerLayer sum;
  sum.shape = AddShape("sum", 1, 0, {1, 3, 1});
  sum.shape.relu = true;
  sum.zero_point = -20;
  sum.add = MakeAddFactors(1, 1, 10, 0, -20);
  network.layers = {twice, sum};
  const int8_t image[] = {5, -5, 40};
  std::vector<std::vector<int8_t>> seen;
  EXPECT_THAT(RunInteger(network, image, nullptr,
                         [&](size_t layer, const std::vector<int8_t>& values) {
                           EXPECT_EQ(layer, seen.size());
                           seen.push_back(values);
                         }),
              ElementsAre(15 - 20, -20, 120 - 20));
  EXPECT_THAT(seen, ElementsAre(ElementsAre(20, 0, 90), ElementsAre(-5, -20, 100)));
}

TEST(RunIntegerTest, AnAverageIsTheRequantizedSumOfPixels) {
  IntegerNetwork network;
  IntegerLayer pool;
  pool.shape = GlobalAveragePoolShape("pool", 0, {2, 2, 2});
  pool.multiplier = {0.25f};
  pool.zero_point = 3;
  network.layers = {pool};
  network.input_zero_point = 1;
  const int8_t image[] = {1, 11, 2, 12, 3, 13, 5, 15};  // above the zero point: 0 1 2 4, and 10 11 12 14
  EXPECT_THAT(RunInteger(network, image), ElementsAre(3 + 2, 3 + 12));  // 1.75, 11.75
}

}  // namespace
}  // namespace lockstep
