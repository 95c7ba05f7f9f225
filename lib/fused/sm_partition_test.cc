#include "lib/fused/sm_partition.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

// Concurrent launches must fit together (with large batches without SGD, which ends before they do). The chain of data
// gradients, for which all other work waits, must have the larger part, except in layer 4 at large batches.
TEST(SmPartitionTest, SideBySideTheyFit) {
  for (const uint32_t all : {132u, 114u, 78u}) {
    for (const uint32_t batch : {1u, 32u, 64u, 65u, 128u, kMaxPartitionedBatch}) {
      for (const ConvolutionUnit& unit : MakeResNetUnits().units) {
        const SmPartition partition = PartitionSms(unit, batch, all);
        EXPECT_TRUE(partition.partitioned);
        EXPECT_LE(partition.data_gradient + partition.weight_gradient + (batch <= 64 ? partition.update : 0), all)
            << unit.conv_name << " " << batch;
        if (unit.out_channels < 512 || batch <= 64) {
          EXPECT_GE(partition.data_gradient, partition.weight_gradient) << unit.conv_name << " " << batch;
        }
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
  EXPECT_EQ(of_layer(0, 128).data_gradient, 94u);
  EXPECT_EQ(of_layer(0, 128).weight_gradient, 38u);
  EXPECT_EQ(of_layer(0, 64).data_gradient, 92u);
  EXPECT_EQ(of_layer(2, 128).data_gradient, 86u);
  EXPECT_EQ(of_layer(2, 128).weight_gradient, 46u);
  EXPECT_EQ(of_layer(2, 32).data_gradient, 66u);
  EXPECT_EQ(of_layer(2, 32).update, 34u);
  EXPECT_EQ(of_layer(4, 128).data_gradient, 66u);
  EXPECT_EQ(of_layer(4, 128).update, 18u);
  EXPECT_EQ(of_layer(7, 128).data_gradient, 64u);
  EXPECT_EQ(of_layer(7, 128).weight_gradient, 68u);
  EXPECT_EQ(of_layer(4, 32).update, 30u);
  EXPECT_EQ(of_layer(7, 64).data_gradient, 76u);
  EXPECT_EQ(of_layer(7, 128).shortcut, 16u);
}

TEST(SmPartitionTest, ListedLayersReplaceThoseFound) {
  const ResNetUnits net = MakeResNetUnits();
  const std::vector<LayerSms> layers = {{512, 88, 44}, {128, 77, 55}};
  const auto of_layer = [&](size_t block, uint32_t all) {
    return PartitionSms(net.units[net.blocks[block].conv2], 128, all, layers);
  };
  EXPECT_EQ(of_layer(7, 132).data_gradient, 88u);
  EXPECT_EQ(of_layer(7, 132).weight_gradient, 44u);
  EXPECT_EQ(of_layer(7, 132).shortcut, 16u);
  EXPECT_EQ(of_layer(2, 132).data_gradient, 77u);
  EXPECT_EQ(of_layer(2, 132).update, 22u);
  EXPECT_EQ(of_layer(4, 132).data_gradient, 66u);
  EXPECT_EQ(of_layer(0, 132).weight_gradient, 38u);
  EXPECT_EQ(of_layer(7, 66).data_gradient, 44u);  // a GPU with half of the SMs
  const ConvolutionUnit& unit = net.units[net.blocks[2].conv2];
  EXPECT_EQ(PartitionSms(unit, 32, 132, {{128, 70, 44, 18}}).update, 18u);
}

TEST(SmPartitionTest, ReadsLayersFromText) {
  const auto layers = ParseLayerSms("512=64,68;128=86,46");
  ASSERT_TRUE(layers.ok()) << layers.status();
  ASSERT_EQ(layers->size(), 2u);
  EXPECT_EQ(layers->front().channels, 512u);
  EXPECT_EQ(layers->front().data_gradient, 64u);
  EXPECT_EQ(layers->front().weight_gradient, 68u);
  EXPECT_EQ(layers->back().channels, 128u);
  EXPECT_EQ(layers->back().weight_gradient, 46u);
  const auto with_update = ParseLayerSms("128=66,44,20");
  ASSERT_TRUE(with_update.ok()) << with_update.status();
  EXPECT_EQ(with_update->front().update, 20u);
  for (const char* const text :
       {"", "512", "512=64", "512=64,", "512=64,68;", "512=64,68,1,1", "512=64,68,", "a=64,68", "512=-1,68"}) {
    EXPECT_EQ(ParseLayerSms(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(SmPartitionTest, WritesWhatItReads) {
  const std::string text = "64=94,38;128=86,46,22";
  EXPECT_EQ(LayerSmsText(*ParseLayerSms(text)), text);
}

// The layers that were found, given as a list, change nothing.
TEST(SmPartitionTest, FoundLayersAreThoseOfThePartition) {
  for (const uint32_t batch : {32u, 128u}) {
    const std::vector<LayerSms> found = FoundLayerSms(batch);
    ASSERT_EQ(found.size(), 4u);
    EXPECT_TRUE(CheckLayerSms(found, batch).ok()) << CheckLayerSms(found, batch);
    for (const ConvolutionUnit& unit : MakeResNetUnits().units) {
      const SmPartition listed = PartitionSms(unit, batch, 132, found), expected = PartitionSms(unit, batch, 132);
      EXPECT_EQ(listed.data_gradient, expected.data_gradient) << unit.conv_name;
      EXPECT_EQ(listed.weight_gradient, expected.weight_gradient) << unit.conv_name;
      EXPECT_EQ(listed.update, expected.update) << unit.conv_name;
    }
  }
}

TEST(SmPartitionTest, LayersThatDoNotFitAreRejected) {
  EXPECT_TRUE(CheckLayerSms({}, 512).ok());
  EXPECT_TRUE(CheckLayerSms({{512, 64, 68}, {128, 86, 46}, {64, 94, 38}}, 128).ok());
  EXPECT_TRUE(CheckLayerSms({{512, 64, 68}, {128, 66, 32}}, 64).ok());
  const auto is_rejected = [](const std::vector<LayerSms>& layers, uint32_t batch) {
    return CheckLayerSms(layers, batch).code() == absl::StatusCode::kInvalidArgument;
  };
  EXPECT_TRUE(is_rejected({{128, 86, 46}}, 64));  // SGD runs at the same time
  EXPECT_TRUE(CheckLayerSms({{128, 86, 30, 16}}, 64).ok());
  EXPECT_TRUE(is_rejected({{128, 86, 30, 17}}, 64));
  EXPECT_TRUE(is_rejected({{512, 64, 60, 8}}, 64));  // no SGD runs during layer 4
  EXPECT_TRUE(is_rejected({{512, 64, 69}}, 128));
  EXPECT_TRUE(is_rejected({{512, 7, 68}}, 128));
  EXPECT_TRUE(is_rejected({{512, 64, 7}}, 128));
  EXPECT_TRUE(is_rejected({{512, UINT32_MAX, 100}}, 128));  // the sum would wrap around to 99
  EXPECT_TRUE(is_rejected({{100, 64, 68}}, 128));
  EXPECT_TRUE(is_rejected({{512, 64, 68}, {512, 64, 68}}, 128));
}

}  // namespace
}  // namespace lockstep
