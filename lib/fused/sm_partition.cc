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
      return batch <= kMaxBatchWithConcurrentUpdate ? SmPartition{true, 66, 44, 22} : SmPartition{true, 77, 55, 22};
    case 256:
      return {true, 66, 48, 18};
    default:
      return {true, 88, 44, 0};
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
