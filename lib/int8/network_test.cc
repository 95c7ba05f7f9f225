#include "lib/int8/network.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

// 2 x 2 inputs, one 2 x 2 kernel, one output.
FloatNetwork OneConvolution() {
  FloatNetwork network;
  FloatLayer layer;
  layer.shape = {"conv", LayerKind::kConv2d, 1, 2, 2, 1, 2, false, 0};
  layer.weight = {1, 2, 3, 4};
  network.layers.push_back(layer);
  return network;
}

TEST(NetworkTest, LeNet5HasTheLabsShapes) {
  const std::vector<LayerShape> layers = LeNet5Layers();
  ASSERT_THAT(CheckShapes(layers), IsOk());
  ASSERT_EQ(layers.size(), 5u);
  EXPECT_EQ(layers[0].OutputSize(), 6u * 28 * 28);
  EXPECT_EQ(layers[0].PooledSize(), 6u * 14 * 14);
  EXPECT_EQ(layers[1].PooledSize(), 400u);
  EXPECT_EQ(layers[1].Terms(), 150u);
  EXPECT_EQ(layers[4].OutputSize(), 10u);
  size_t weights = 0;
  for (const LayerShape& layer : layers) {
    weights += layer.WeightSize();
  }
  EXPECT_EQ(weights, 61'770u);  // 450 + 2,400 + 48,000 + 10,080 + 840
}

TEST(NetworkTest, LeNet5sMultiplyAccumulates) {
  // 28*28*6*75 + 10*10*16*150 + 400*120 + 120*84 + 84*10
  EXPECT_EQ(CountMacs(LeNet5Layers()), 651'720u);
}

TEST(NetworkTest, TheSmallestNetwork) {
  EXPECT_THAT(CheckNetwork(OneConvolution()), IsOk());
  EXPECT_FALSE(OneConvolution().HasBias());
}

TEST(NetworkTest, RejectsNoLayer) {
  EXPECT_THAT(CheckNetwork(FloatNetwork()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("without layers")));
}

TEST(NetworkTest, RejectsAWrongNumberOfWeights) {
  FloatNetwork network = OneConvolution();
  network.layers[0].weight.pop_back();
  EXPECT_THAT(CheckNetwork(network),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("conv.weight: 3 values, its shape wants 4")));
}

TEST(NetworkTest, RejectsAWrongNumberOfBiases) {
  FloatNetwork network = OneConvolution();
  network.layers[0].bias = {1, 2};
  EXPECT_THAT(CheckNetwork(network),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("conv.bias: 2 values, its shape wants 1")));
}

TEST(NetworkTest, RejectsAKernelLargerThanItsInput) {
  FloatNetwork network = OneConvolution();
  network.layers[0].shape.kernel = 3;
  network.layers[0].weight.resize(9);
  EXPECT_THAT(CheckNetwork(network), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("kernel of 3")));
}

TEST(NetworkTest, RejectsLayersThatDoNotFollowOneAnother) {
  std::vector<LayerShape> layers = LeNet5Layers();
  layers[2].in_channels = 401;
  EXPECT_THAT(CheckShapes(layers),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("fc1: reads 401 values, but conv2 gives 400")));
}

}  // namespace
}  // namespace lockstep
