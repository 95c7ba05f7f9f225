#include "lib/fused/sm_partition.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

// Concurrent launches must fit together (with large batches without SGD, which ends before they do). The chain of data
// gradients, for which all other work waits, must have the larger part.
TEST(SmPartitionTest, SideBySideTheyFit) {
  for (const uint32_t all : {132u, 114u, 78u}) {
    for (const uint32_t batch : {1u, 32u, 64u, 65u, 128u, kMaxPartitionedBatch}) {
      for (const ConvolutionUnit& unit : MakeResNetUnits().units) {
        const SmPartition partition = PartitionSms(unit, batch, all);
        EXPECT_TRUE(partition.partitioned);
        EXPECT_LE(partition.data_gradient + partition.weight_gradient + (batch <= 64 ? partition.update : 0), all)
            << unit.conv_name << " " << batch;
        EXPECT_GE(partition.data_gradient, partition.weight_gradient) << unit.conv_name << " " << batch;
        EXPECT_GT(partition.weight_gradient, 0u);
        EXPECT_GT(partition.shortcut, 0u);
        // No layer is above layer 4, and the update that could run during layer 1 is left for the end.
        EXPECT_EQ(partition.update > 0, unit.out_channels == 128 || unit.out_channels == 256);
      }
    }
  }
}

TEST(SmPartitionTest, AnH200sLayers) {
  const ResNetUnits net = MakeResNetUnits();
  const auto of_layer = [&](size_t block, uint32_t batch) {
    return PartitionSms(net.units[net.blocks[block].conv2], batch, 132);
  };
  EXPECT_EQ(of_layer(0, 128).data_gradient, 88u);
  EXPECT_EQ(of_layer(0, 128).weight_gradient, 44u);
  EXPECT_EQ(of_layer(2, 128).data_gradient, 77u);
  EXPECT_EQ(of_layer(2, 32).data_gradient, 66u);
  EXPECT_EQ(of_layer(2, 32).update, 22u);
  EXPECT_EQ(of_layer(4, 128).data_gradient, 66u);
  EXPECT_EQ(of_layer(4, 128).update, 18u);
  EXPECT_EQ(of_layer(7, 128).data_gradient, 88u);
  EXPECT_EQ(of_layer(7, 128).shortcut, 16u);
}

}  // namespace
}  // namespace lockstep
