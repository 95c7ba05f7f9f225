#include "lib/int8_cpu/packed_shape.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

constexpr TileKernels kKernels = {.lanes = 16, .depth = 4, .max_panels = 4};

// LeNet-5's first convolution has 3 channels, 6 outputs and a max-pooling of 2 x 2.
IntegerLayer FirstLayer() {
  IntegerLayer layer;
  layer.shape = LeNet5Layers()[0];
  layer.weight.assign(layer.shape.WeightSize(), 1);
  layer.multiplier.assign(layer.shape.out_channels, 0.5f);
  return layer;
}

TEST(PackedShapeTest, MergesPixelsWhoseOutputsFitAVector) {
  const PackedShape shape = MakePackedShape(FirstLayer(), kKernels);
  EXPECT_TRUE(shape.pools);
  EXPECT_EQ(shape.merged, 2u);
  EXPECT_EQ(shape.window, 2u);
  EXPECT_EQ(shape.rows, 5u);
  EXPECT_EQ(shape.row_columns, 6u);
  EXPECT_EQ(shape.column_terms, 3u);
}

TEST(PackedShapeTest, ASecondPixelsWeightsBeginOneColumnLater) {
  const IntegerLayer layer = FirstLayer();
  const PackedShape shape = MakePackedShape(layer, kKernels);
  EXPECT_EQ(PackedWeight(layer, shape, /*output=*/0, /*row=*/0, /*term=*/0), 1);
  EXPECT_EQ(PackedWeight(layer, shape, 0, 0, 15), 0);  // after the first pixel's 5 columns
  EXPECT_EQ(PackedWeight(layer, shape, 6, 0, 2), 0);
  EXPECT_EQ(PackedWeight(layer, shape, 6, 0, 3), 1);
  EXPECT_EQ(PackedWeight(layer, shape, 6, 0, 17), 1);
}

TEST(PackedShapeTest, NegativeMultipliersArePooledAfterScaling) {
  IntegerLayer layer = FirstLayer();
  layer.multiplier[3] = -0.5f;
  const PackedShape shape = MakePackedShape(layer, kKernels);
  EXPECT_FALSE(shape.pools);
  EXPECT_EQ(shape.window, 1u);
  EXPECT_EQ(shape.merged, 1u);
}

TEST(PackedShapeTest, AKernelAsWideAsTheInputIsOneRow) {
  IntegerLayer layer;
  layer.shape = LinearShape("fc", 0, {5, 5, 16}, 120);
  layer.multiplier.assign(120, 0.5f);
  const PackedShape shape = MakePackedShape(layer, kKernels);
  EXPECT_EQ(shape.rows, 1u);
  EXPECT_EQ(shape.column_terms, 16u * 5);
  EXPECT_EQ(shape.row_columns, 5u);
}

}  // namespace
}  // namespace lockstep
