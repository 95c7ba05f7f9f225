#include "lib/fused/gradient_schedule.h"

#include "lib/fused/sm_partition.h"

namespace lockstep {
namespace {

// First blocks of layers 3 and 4, which have 94 % of the weights. These weights are updated as soon as their gradients
// are final, during the rest of the backward pass, which no longer reads them.
constexpr size_t kLayer3 = 4, kLayer4 = 6;

size_t WeightsBegin(const ResNet18Units& net, size_t block) { return net.units[net.blocks[block].conv1].weight; }

GradientSchedule ScheduleBehindTheBlocks(const ResNet18Units& net) {
  GradientSchedule schedule;
  schedule.rest = {WeightsBegin(net, 0), WeightsBegin(net, kLayer3)};
  schedule.batch_norms = {0, net.batch_norm_count()};
  schedule.stem = {0, schedule.rest.begin};
  return schedule;
}

}  // namespace

GradientSchedule ScheduleGradients(const ResNet18Units& net, EarlyRanges early) {
  GradientSchedule schedule = ScheduleBehindTheBlocks(net);
  const size_t layer3 = WeightsBegin(net, kLayer3), layer4 = WeightsBegin(net, kLayer4);
  if (early == EarlyRanges::kPerLayer) {
    schedule.early = {{kLayer4, {layer4, net.weight_count}, 0}, {kLayer3, {layer3, layer4}, 0}};
  } else {
    schedule.early = {{kLayer3, {layer3, net.weight_count}, 0}};
  }
  return schedule;
}

GradientSchedule ScheduleGradientsByLayer(const ResNet18Units& net, uint32_t images, uint32_t multiprocessors) {
  GradientSchedule schedule = ScheduleBehindTheBlocks(net);
  size_t end = net.weight_count;
  for (const size_t block : {kLayer4, kLayer3}) {
    const ConvolutionUnit& concurrent = net.units[net.blocks[block - 1].conv2];
    const SmPartition partition = PartitionSms(concurrent, images, multiprocessors);
    schedule.early.push_back({block, {WeightsBegin(net, block), end}, partition.update});
    end = WeightsBegin(net, block);
  }
  return schedule;
}

}  // namespace lockstep
