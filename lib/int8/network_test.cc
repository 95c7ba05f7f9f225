#include "lib/int8/network.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Returns a network with 2 x 2 inputs, one 2 x 2 kernel, one output.
FloatNetwork OneConvolution() {
  FloatNetwork network;
  FloatLayer layer;
  layer.shape = ConvShape("conv", 0, {2, 2, 1}, 1, 2);
  layer.weight = {1, 2, 3, 4};
  network.layers.push_back(layer);
  return network;
}

TEST(NetworkTest, LeNet5HasTheLabsShapes) {
  const std::vector<LayerShape> layers = LeNet5Layers();
  ASSERT_THAT(CheckShapes(layers), IsOk());
  ASSERT_EQ(layers.size(), 5u);
  EXPECT_EQ(layers[0].Out(), (Extent{28, 28, 6}));
  EXPECT_EQ(layers[0].Pooled(), (Extent{14, 14, 6}));
  EXPECT_EQ(layers[1].Pooled().Size(), 400u);
  EXPECT_EQ(layers[1].Terms(), 150u);
  EXPECT_EQ(layers[2].Terms(), 400u);
  EXPECT_EQ(layers[4].Out().Size(), 10u);
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

TEST(NetworkTest, ResNet18HasKuangliusShapes) {
  const std::vector<LayerShape> layers = ResNet18Layers();
  ASSERT_THAT(CheckShapes(layers), IsOk());
  size_t weights = 0, additions = 0;
  for (const LayerShape& layer : layers) {
    weights += layer.WeightSize();
    additions += layer.kind == LayerKind::kAdd ? 1 : 0;
  }
  // 11,173,962 parameters less the 2 x 4,800 of batch norm and the 10 biases.
  EXPECT_EQ(weights, 11'164'352u);
  EXPECT_EQ(additions, 8u);
  EXPECT_EQ(CountMacs(layers), 555'422'720u);
  EXPECT_EQ(layers.back().In(), (Extent{1, 1, 512}));
}

TEST(NetworkTest, AnAdditionReadsTheConvolutionAndTheShortcut) {
  const std::vector<LayerShape> layers = ResNet18Layers();
  const auto reads = [&](const std::string& name) {
    std::vector<std::string> names;
    for (const LayerShape& layer : layers) {
      if (layer.name == name) {
        for (const uint32_t input : layer.inputs) {
          names.push_back(layers[input - 1].name);
        }
      }
    }
    return names;
  };
  EXPECT_THAT(reads("layer1.0.add"), ElementsAre("layer1.0.conv2", "conv1"));
  EXPECT_THAT(reads("layer2.0.add"), ElementsAre("layer2.0.conv2", "layer2.0.shortcut.0"));
  EXPECT_THAT(reads("layer2.0.shortcut.0"), ElementsAre("layer1.1.add"));
  EXPECT_THAT(reads("layer4.1.conv1"), ElementsAre("layer4.0.add"));
}

TEST(NetworkTest, RealMultiplyAccumulatesLeaveOutThePadding) {
  LayerShape shape = ConvShape("conv", 0, {4, 4, 5}, 7, 3);
  shape.padding = 1;
  EXPECT_EQ(shape.Macs(), 4u * 4 * 9 * 5 * 7);
  // Along each side 2 + 3 + 3 + 2 of 12 taps are real.
  EXPECT_EQ(shape.RealMacs(), 10u * 10 * 5 * 7);
  shape.stride = 2;  // windows begin at -1 and 1: 2 + 3 real taps
  EXPECT_EQ(shape.RealMacs(), 5u * 5 * 5 * 7);
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
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("conv.weight: 3 values, its shape needs 4")));
}

TEST(NetworkTest, RejectsAWrongNumberOfBiases) {
  FloatNetwork network = OneConvolution();
  network.layers[0].bias = {1, 2};
  EXPECT_THAT(CheckNetwork(network),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("conv.bias: 2 values, its shape needs 1")));
}

TEST(NetworkTest, RejectsAKernelLargerThanItsInput) {
  FloatNetwork network = OneConvolution();
  network.layers[0].shape.kernel = 3;
  network.layers[0].weight.resize(9);
  EXPECT_THAT(CheckNetwork(network), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("kernel of 3")));
}

TEST(NetworkTest, RejectsLayersThatDoNotFollowOneAnother) {
  std::vector<LayerShape> layers = LeNet5Layers();
  layers[2].in_channels = 17;
  EXPECT_THAT(CheckShapes(layers), StatusIs(absl::StatusCode::kFailedPrecondition,
                                            HasSubstr("fc1: reads 17 channels of 5 x 5, but conv2 gives 16")));
}

TEST(NetworkTest, RejectsATensorThatIsWrittenLater) {
  std::vector<LayerShape> layers = LeNet5Layers();
  layers[1].inputs = {2};  // the layer's own output
  EXPECT_THAT(CheckShapes(layers), StatusIs(absl::StatusCode::kFailedPrecondition,
                                            HasSubstr("conv2: reads tensor 2, which no layer before it writes")));
  layers[1].inputs = {};
  EXPECT_THAT(CheckShapes(layers),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("conv2: reads 0 tensors, expected 1")));
}

TEST(NetworkTest, RejectsAnAdditionOfDifferentExtents) {
  std::vector<LayerShape> layers = ResNet18Layers();
  for (LayerShape& layer : layers) {
    if (layer.name == "layer2.0.add") {
      layer.inputs[1] = 1;  // the stem's 64 channels of 32 x 32
    }
  }
  EXPECT_THAT(CheckShapes(layers), StatusIs(absl::StatusCode::kFailedPrecondition,
                                            HasSubstr("layer2.0.add: reads 128 channels of 16 x 16, but conv1")));
}

TEST(NetworkTest, RejectsSizesThatNoImageHas) {
  LayerShape shape = ConvShape("conv", 0, {2, 2, 1}, 1, 2);
  shape.stride = 0;
  EXPECT_THAT(CheckShapes({shape}), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("is 0 or above")));
  shape.stride = 1;
  shape.in_channels = 0xFFFFFFFF;
  EXPECT_THAT(CheckShapes({shape}), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("is 0 or above")));
  shape.in_channels = 1;
  shape.padding = 2;
  EXPECT_THAT(CheckShapes({shape}), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("a padding of 2")));
}

}  // namespace
}  // namespace lockstep
