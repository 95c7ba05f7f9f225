#include "lib/fused/resnet_units.h"

#include <set>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(ResNetUnitsTest, HasTheParametersOfTheNetwork) {
  const ResNetUnits net = MakeResNetUnits();
  // 11,173,962 parameters (lib/nn/model_test), and 5 zeros after each of the stem's 64 filters.
  EXPECT_EQ(net.weight_count + net.batch_norm_count(), 11'173'962 + 5 * 64);
  EXPECT_EQ(net.channel_count, 4800);  // 5 batch norms of 64 and 128, ... : 64 * 5 + (128 + 256 + 512) * 5
  EXPECT_EQ(net.features, 512);
  EXPECT_EQ(net.positions, 16);
}

TEST(ResNetUnitsTest, HasTheParametersOfResNet34) {
  const ResNetUnits net = MakeResNetUnits(kResNet34Blocks);
  EXPECT_EQ(net.weight_count + net.batch_norm_count(), 21'282'122 + 5 * 64);  // lib/nn/model_test
  EXPECT_EQ(net.units.size(), 36);
  EXPECT_EQ(net.blocks.size(), 16);
  EXPECT_EQ(net.units[net.blocks[6].conv2].conv_name, "layer2.3.conv2");
  EXPECT_EQ(FusedStageBlocks("resnet34"), kResNet34Blocks);
  EXPECT_EQ(FusedStageBlocks("lenet5"), std::nullopt);
}

TEST(ResNetUnitsTest, HasTwentyConvolutionsInEightBlocks) {
  const ResNetUnits net = MakeResNetUnits();
  EXPECT_EQ(net.units.size(), 20);
  EXPECT_EQ(net.blocks.size(), 8);
  EXPECT_EQ(net.units[0].conv_name, "conv1");
  EXPECT_EQ(net.units[0].matrix_channels, 32);
  EXPECT_EQ(net.units[0].matrix_filter, 1);
  const ConvolutionUnit& shortcut = net.units[net.blocks[2].shortcut.value()];
  EXPECT_EQ(shortcut.conv_name, "layer2.0.shortcut.0");
  EXPECT_EQ(shortcut.batch_norm_name, "layer2.0.shortcut.1");
  EXPECT_EQ(shortcut.in_size, 32);
  EXPECT_EQ(shortcut.out_size(), 16);
  EXPECT_TRUE(shortcut.is_shortcut());
  EXPECT_FALSE(net.units[0].is_shortcut());  // computed as a 1x1 convolution, but over patches
  EXPECT_FALSE(net.blocks[0].shortcut.has_value());
}

// 614,400 elements of convolution outputs per image: 57,344 of the shortcuts, and of the others 64 * 1024 * 5 + 128 *
// 256 * 4 + 256 * 64 * 4 + 512 * 16 * 4.
TEST(ResNetUnitsTest, HasTheActivationsOfTheNetwork) {
  const ResNetUnits net = MakeResNetUnits();
  size_t elements = 0, of_shortcuts = 0;
  for (const ConvolutionUnit& unit : net.units) {
    (unit.filter == 1 ? of_shortcuts : elements) += unit.out_elements();
  }
  EXPECT_EQ(elements, 557'056);
  EXPECT_EQ(of_shortcuts, 57'344);
}

TEST(ResNetUnitsTest, HasTheClassesAsked) {
  const ResNetUnits ten = MakeResNetUnits();
  const ResNetUnits net = MakeResNetUnits(kResNet18Blocks, 1000);
  EXPECT_EQ(net.classes, 1000);
  EXPECT_EQ(net.linear_weight, ten.linear_weight);
  EXPECT_EQ(net.weight_count, ten.weight_count + 990 * 512);
  EXPECT_EQ(net.bias(), ten.bias());
  EXPECT_EQ(net.batch_norm_count(), ten.batch_norm_count() + 990);
}

// The size of the images changes that of the activations, and no parameter.
TEST(ResNetUnitsTest, HasTheImageSizeAsked) {
  const ResNetUnits small = MakeResNetUnits(kResNet34Blocks);
  const ResNetUnits net = MakeResNetUnits(kResNet34Blocks, 10, 64);
  EXPECT_EQ(small.image_size, 32);
  EXPECT_EQ(net.image_size, 64);
  EXPECT_EQ(net.positions, 64);
  EXPECT_EQ(net.weight_count, small.weight_count);
  EXPECT_EQ(net.batch_norm_count(), small.batch_norm_count());
  for (size_t u = 0; u < net.units.size(); ++u) {
    EXPECT_EQ(net.units[u].in_size, 2 * small.units[u].in_size) << net.units[u].conv_name;
    EXPECT_EQ(net.units[u].out_elements(), 4 * small.units[u].out_elements()) << net.units[u].conv_name;
  }
}

TEST(ResNetUnitsTest, EveryUnitOfAnImageSizeHasItsMultiple) {
  for (uint32_t size = kMinFusedImageSize; size <= kMaxFusedImageSize; size += kFusedImageSizeStep) {
    ASSERT_TRUE(IsFusedImageSize(size, size));
    const ResNetUnits net = MakeResNetUnits(kResNet18Blocks, 10, size);
    for (const ConvolutionUnit& unit : net.units) {
      EXPECT_EQ(unit.in_size % unit.stride, 0) << size << " " << unit.conv_name;
    }
    EXPECT_GE(net.positions, 4) << size;
  }
  EXPECT_FALSE(IsFusedImageSize(32, 40));
  EXPECT_FALSE(IsFusedImageSize(8, 8));
  EXPECT_FALSE(IsFusedImageSize(36, 36));
  EXPECT_FALSE(IsFusedImageSize(408, 408));
}

TEST(ResNetUnitsTest, EachBlockTakesWhatTheOneBeforeGives) {
  const ResNetUnits net = MakeResNetUnits();
  const ConvolutionUnit* before = &net.units[0];
  for (const ResidualBlock& block : net.blocks) {
    const ConvolutionUnit& first = net.units[block.conv1];
    EXPECT_EQ(first.in_channels, before->out_channels);
    EXPECT_EQ(first.in_size, before->out_size());
    before = &net.units[block.conv2];
    EXPECT_EQ(before->in_channels, first.out_channels);
  }
}

}  // namespace
}  // namespace lockstep
