// SM partition of the GPU between concurrent launches of the backward pass. One launch leaves much of the GPU waiting
// for memory and for other blocks. Two launches, each on a part of the GPU, take less time than one after the other on
// all of it.
#ifndef LOCKSTEP_LIB_FUSED_SM_PARTITION_H_
#define LOCKSTEP_LIB_FUSED_SM_PARTITION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
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

// Largest batch at which the backward pass of layer 2 ends before SGD.
inline constexpr uint32_t kMaxBatchWithConcurrentUpdate = 64;

// Height and width of the images whose backward pass partitions the SMs. Other sizes were not measured, and our kernels
// do not support all of their layers.
inline constexpr uint32_t kPartitionedImageSize = kCifar10ImageSize;

// SMs of both chains in the layer whose blocks have `channels` channels, of the 132 SMs of an H200. They replace those
// that were found for the layer.
struct LayerSms {
  uint32_t channels = 0;
  uint32_t data_gradient = 0;
  uint32_t weight_gradient = 0;
  uint32_t update = 0;  // SMs of the SGD that runs at the same time; 0: those that were found
};

// Reads "512=64,68;128=86,46,22": for each layer its channels, the SMs of its data gradients, those of its weight
// gradients, and if they are given those of the SGD. Returns InvalidArgumentError if `text` has another form.
absl::StatusOr<std::vector<LayerSms>> ParseLayerSms(absl::string_view text);

// Returns `layers` in the form that ParseLayerSms reads.
std::string LayerSmsText(const std::vector<LayerSms>& layers);

// Returns InvalidArgumentError unless
// - each layer has 64, 128, 256 or 512 channels, and no two have the same;
// - each chain has an SM for each block of 64 channels;
// - SGD has SMs only in the layers of 128 and 256 channels;
// - both chains fit into 132 SMs, at small batches together with the SGD that runs at the same time.
absl::Status CheckLayerSms(const std::vector<LayerSms>& layers, uint32_t batch);

// Returns the SMs that were found for the four layers of a batch of up to kMaxPartitionedBatch, from the first on.
std::vector<LayerSms> FoundLayerSms(uint32_t batch);

// Returns the partition of `all` SMs for a batch of up to kMaxPartitionedBatch. It lets both chains of the backward
// pass end together (measured on an H200; benchmarks/results/notes.md, "The step on one GPU"). `layers`, for which
// CheckLayerSms must return OK, has other SMs of some layers.
SmPartition PartitionSms(const ConvolutionUnit& unit, uint32_t batch, uint32_t all,
                         const std::vector<LayerSms>& layers = {});

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_SM_PARTITION_H_
