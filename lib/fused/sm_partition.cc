#include "lib/fused/sm_partition.h"

namespace lockstep {
namespace {

constexpr uint32_t kMeasuredOn = 132;  // SMs of an H200

// Largest batch at which the backward pass of layer 2 ends before SGD.
constexpr uint32_t kMaxBatchWithConcurrentUpdate = 64;

// SMs of a shortcut's weight gradient, which is little work and needed late.
constexpr uint32_t kShortcutSms = 16;

// Returns the partition of an H200's SMs. The update has what layer 3 and layer 2 leave. With more, SGD would take SMs
// from a data gradient, whose blocks wait for each other and must all be resident at once.
SmPartition LayerPartition(uint32_t channels, uint32_t batch) {
  switch (channels) {
    case 128:
      return batch <= kMaxBatchWithConcurrentUpdate
                 ? SmPartition{.partitioned = true, .data_gradient = 66, .weight_gradient = 44, .update = 22}
                 : SmPartition{.partitioned = true, .data_gradient = 77, .weight_gradient = 55, .update = 22};
    case 256:
      return {.partitioned = true, .data_gradient = 66, .weight_gradient = 48, .update = 18};
    default:
      return {.partitioned = true, .data_gradient = 88, .weight_gradient = 44, .update = 0};
  }
}

}  // namespace

SmPartition PartitionSms(const ConvolutionUnit& unit, uint32_t batch, uint32_t all) {
  SmPartition partition = LayerPartition(unit.out_channels, batch);
  partition.shortcut = kShortcutSms;
  for (uint32_t* const sms :
       {&partition.data_gradient, &partition.weight_gradient, &partition.update, &partition.shortcut}) {
    *sms = all * *sms / kMeasuredOn;
  }
  return partition;
}

}  // namespace lockstep
