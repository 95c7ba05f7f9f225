// SM partition of the GPU between concurrent launches of the backward pass. One launch leaves much of the GPU waiting
// for memory and for other blocks. Two launches, each on a part of the GPU, take less time than one after the other on
// all of it.
#ifndef LOCKSTEP_LIB_FUSED_SM_PARTITION_H_
#define LOCKSTEP_LIB_FUSED_SM_PARTITION_H_

#include <cstdint>

#include "lib/fused/resnet_units.h"

namespace lockstep {

// Largest numbers of SMs that the launches of a unit may take.
struct SmPartition {
  bool partitioned = false;      // false: each launch may take all
  uint32_t data_gradient = 0;    // SMs of the data gradient, concurrent with the weight gradient of this unit or of the
                                 // one above
  uint32_t weight_gradient = 0;  // SMs of the weight gradient, concurrent with the data gradient of this unit or of the
                                 // one below
  uint32_t update = 0;           // SMs of SGD for the layer above, concurrent with both gradients; 0: no such SGD
  uint32_t shortcut = 0;  // SMs of our weight gradient of a shortcut, concurrent with all three where SMs are free
};

// Largest batch whose backward pass partitions the SMs. Larger batches were not measured.
inline constexpr uint32_t kMaxPartitionedBatch = 512;

// Height and width of the images whose backward pass partitions the SMs. Other sizes were not measured, and our kernels
// do not support all of their layers.
inline constexpr uint32_t kPartitionedImageSize = kCifar10ImageSize;

// Returns the partition of `all` SMs for a batch of up to kMaxPartitionedBatch. It lets both chains of the backward
// pass end together (measured on an H200; benchmarks/results/notes.md, "The step on one GPU").
SmPartition PartitionSms(const ConvolutionUnit& unit, uint32_t batch, uint32_t all);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_SM_PARTITION_H_
