#include "lib/fused/gradient_schedule.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

std::vector<GradientRange> WeightsInOrder(const GradientSchedule& schedule) {
  std::vector<GradientRange> ranges;
  for (const EarlyGradients& early : schedule.early) {
    ranges.push_back(early.range);
  }
  ranges.push_back(schedule.rest);
  ranges.push_back(schedule.stem);
  return ranges;
}

size_t FirstWeight(const ResNetUnits& net, const std::string& convolution) {
  for (const ConvolutionUnit& unit : net.units) {
    if (unit.conv_name == convolution) {
      return unit.weight;
    }
  }
  ADD_FAILURE() << convolution;
  return 0;
}

// Expects ranges from the end of the array to its beginning without a gap: every weight once, the last layers first.
void ExpectEachOnce(const ResNetUnits& net, const GradientSchedule& schedule) {
  size_t end = net.weight_count;
  for (const GradientRange& range : WeightsInOrder(schedule)) {
    EXPECT_EQ(range.end, end);
    EXPECT_GT(range.count(), 0);
    end = range.begin;
  }
  EXPECT_EQ(end, 0);
  EXPECT_EQ(schedule.batch_norms.begin, 0);
  EXPECT_EQ(schedule.batch_norms.end, net.batch_norm_count());
}

TEST(GradientScheduleTest, EachWeightOnceTheLastLayersFirst) {
  const ResNetUnits net = MakeResNetUnits();
  ExpectEachOnce(net, ScheduleGradients(net));
  ExpectEachOnce(net, ScheduleGradients(net, EarlyRanges::kPerLayer));
  for (const uint32_t images : {1u, 64u, 65u, 512u}) {
    ExpectEachOnce(net, ScheduleGradientsByLayer(net, images, 132));
  }
}

TEST(GradientScheduleTest, ResNet34UpdatesLayersThreeAndFourEarly) {
  const ResNetUnits net = MakeResNetUnits(kResNet34Blocks);
  const GradientSchedule schedule = ScheduleGradients(net, EarlyRanges::kPerLayer);
  ExpectEachOnce(net, schedule);
  ASSERT_EQ(schedule.early.size(), 2);
  EXPECT_EQ(schedule.early[0].block, 13);
  EXPECT_EQ(schedule.early[0].range.begin, FirstWeight(net, "layer4.0.conv1"));
  EXPECT_EQ(schedule.early[1].block, 7);
  EXPECT_EQ(schedule.early[1].range.begin, FirstWeight(net, "layer3.0.conv1"));
  ExpectEachOnce(net, ScheduleGradientsByLayer(net, 64, 132));
}

TEST(GradientScheduleTest, NotPartitionedLayersThreeAndFourTogether) {
  const ResNetUnits net = MakeResNetUnits();
  const GradientSchedule schedule = ScheduleGradients(net);
  ASSERT_EQ(schedule.early.size(), 1);
  EXPECT_EQ(schedule.early[0].block, 4);
  EXPECT_EQ(schedule.early[0].range.begin, FirstWeight(net, "layer3.0.conv1"));
  EXPECT_EQ(schedule.early[0].max_multiprocessors, 0);
  EXPECT_EQ(schedule.rest.begin, FirstWeight(net, "layer1.0.conv1"));
  EXPECT_EQ(schedule.stem.count(), 64 * 32);
}

// A rank's share of an early range covers the same weights in every step, even if the last batch has another size.
TEST(GradientScheduleTest, ApartTheyAreTheRangesByLayer) {
  const ResNetUnits net = MakeResNetUnits();
  const GradientSchedule apart = ScheduleGradients(net, EarlyRanges::kPerLayer);
  for (const uint32_t images : {1u, 512u}) {
    const GradientSchedule by_layer = ScheduleGradientsByLayer(net, images, 132);
    ASSERT_EQ(apart.early.size(), by_layer.early.size());
    for (size_t i = 0; i < apart.early.size(); ++i) {
      EXPECT_EQ(apart.early[i].block, by_layer.early[i].block);
      EXPECT_EQ(apart.early[i].range.begin, by_layer.early[i].range.begin);
      EXPECT_EQ(apart.early[i].range.end, by_layer.early[i].range.end);
    }
  }
}

// The ranges have the update's share of the layer that runs concurrently: layer 4's range that of layer 3, and layer
// 3's range that of layer 2.
TEST(GradientScheduleTest, ByLayerTheyHaveAShareOfTheGpu) {
  const ResNetUnits net = MakeResNetUnits();
  const GradientSchedule schedule = ScheduleGradientsByLayer(net, 32, 132);
  ASSERT_EQ(schedule.early.size(), 2);
  EXPECT_EQ(schedule.early[0].block, 6);
  EXPECT_EQ(schedule.early[0].range.begin, FirstWeight(net, "layer4.0.conv1"));
  EXPECT_EQ(schedule.early[0].max_multiprocessors, 30);
  EXPECT_EQ(schedule.early[1].block, 4);
  EXPECT_EQ(schedule.early[1].range.begin, FirstWeight(net, "layer3.0.conv1"));
  EXPECT_EQ(schedule.early[1].max_multiprocessors, 34);
}

// A range is final after the backward pass of the block that it begins with.
TEST(GradientScheduleTest, ARangeBeginsWithItsBlock) {
  const ResNetUnits net = MakeResNetUnits();
  for (const GradientSchedule& schedule : {ScheduleGradients(net), ScheduleGradientsByLayer(net, 128, 132)}) {
    for (const EarlyGradients& early : schedule.early) {
      EXPECT_EQ(early.range.begin, net.units[net.blocks[early.block].conv1].weight);
    }
  }
}

// SGD's kernel loads 16 bytes at a time: 8 elements in bf16.
TEST(GradientScheduleTest, RangesAreAligned) {
  const ResNetUnits net = MakeResNetUnits();
  for (const GradientRange& range : WeightsInOrder(ScheduleGradientsByLayer(net, 128, 132))) {
    EXPECT_EQ(range.begin % 8, 0);
  }
}

}  // namespace
}  // namespace lockstep
