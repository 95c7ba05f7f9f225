#include "lib/fused/gradient_schedule.h"

#include "lib/fused/sm_partition.h"

namespace lockstep {
namespace {

// First blocks of layers 3 and 4, which have 94 % of ResNet-18's weights. These weights are updated as soon as their
// gradients are final, during the rest of the backward pass, which no longer reads them.
struct LateLayers {
  size_t layer3 = 0, layer4 = 0;

  explicit LateLayers(const ResNetUnits& net) {
    constexpr uint32_t kLayer3Channels = 256;
    for (size_t block = net.blocks.size(); block-- > 0;) {
      const uint32_t channels = net.units[net.blocks[block].conv1].out_channels;
      layer4 = channels > kLayer3Channels ? block : layer4;
      layer3 = channels >= kLayer3Channels ? block : layer3;
    }
  }
};

size_t WeightsBegin(const ResNetUnits& net, size_t block) { return net.units[net.blocks[block].conv1].weight; }

GradientSchedule ScheduleBehindTheBlocks(const ResNetUnits& net) {
  GradientSchedule schedule;
  schedule.rest = {WeightsBegin(net, 0), WeightsBegin(net, LateLayers(net).layer3)};
  schedule.batch_norms = {0, net.batch_norm_count()};
  schedule.stem = {0, schedule.rest.begin};
  return schedule;
}

}  // namespace

GradientSchedule ScheduleGradients(const ResNetUnits& net, EarlyRanges early) {
  GradientSchedule schedule = ScheduleBehindTheBlocks(net);
  const LateLayers late(net);
  const size_t layer3 = WeightsBegin(net, late.layer3), layer4 = WeightsBegin(net, late.layer4);
  if (early == EarlyRanges::kPerLayer) {
    schedule.early = {{late.layer4, {layer4, net.weight_count}, 0}, {late.layer3, {layer3, layer4}, 0}};
  } else {
    schedule.early = {{late.layer3, {layer3, net.weight_count}, 0}};
  }
  return schedule;
}

GradientSchedule ScheduleGradientsByLayer(const ResNetUnits& net, uint32_t images, uint32_t multiprocessors) {
  GradientSchedule schedule = ScheduleBehindTheBlocks(net);
  size_t end = net.weight_count;
  const LateLayers late(net);
  for (const size_t block : {late.layer4, late.layer3}) {
    const ConvolutionUnit& concurrent = net.units[net.blocks[block - 1].conv2];
    const SmPartition partition = PartitionSms(concurrent, images, multiprocessors);
    schedule.early.push_back({block, {WeightsBegin(net, block), end}, partition.update});
    end = WeightsBegin(net, block);
  }
  return schedule;
}

}  // namespace lockstep
