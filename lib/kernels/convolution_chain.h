// Consecutive layers of a ResNet in one launch, forward: 3x3 convolutions of equal shape with a stride of 1, each with
// its batch norm, residual and ReLU. The output of a layer is the input of the next. For small batches this saves most
// of the time between the products of one launch and those of the next (method: convolution_chain.cu).
//
// Reference: ConvolutionBatchNorm::ForwardAndApply, once for each layer, in the same configuration; the bits are equal.
//
// Supported are the configurations in which all tiles of a block stay in registers until the batch norm is applied to
// them: at most two tiles per block, two groups of warps. The blocks do not copy their weights in pairs.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_CHAIN_H_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_CHAIN_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/kernels/convolution_batch_norm.h"
#include "lib/kernels/convolution_shape.h"

namespace lockstep {

// Returns the maximum number of layers of a chain.
size_t ConvolutionChainMaxLayers();

// Returns the configurations in which layers of this shape can form a chain on a GPU of this many multiprocessors, the
// likeliest first. The list is empty unless the filter is 3, the stride 1, the numbers of input and output channels are
// equal, and ConvolutionBatchNormConfigs covers the shape.
std::vector<ConvolutionBatchNormConfig> ConvolutionChainConfigs(const ConvolutionShape& shape,
                                                                uint32_t multiprocessors);

// Returns whether all blocks of such a chain run at once on the current device, like ConvolutionBatchNormMayWait.
// InvalidArgument: ConvolutionChainConfigs does not list the configuration. Internal: CUDA reports no number.
absl::StatusOr<bool> ConvolutionChainMayWait(const ConvolutionShape& shape, const ConvolutionBatchNormConfig& config,
                                             uint32_t multiprocessors);

class ConvolutionChain {
 public:
  using Layer = ConvolutionBatchNorm::AppliedLayer;

  // `layer`: one layer's convolution, in one of ConvolutionChainConfigs, with the overlap of the whole launch.
  // ConvolutionOverlap::weights_ahead holds for the weights of all layers.
  explicit ConvolutionChain(const ConvolutionBatchNorm& layer) : layer_(layer) {}

  const ConvolutionBatchNorm& layer() const { return layer_; }

  // Computes all layers; the first reads x. Outputs, masks and states are those of ForwardAndApply. A residual may be
  // the output of an earlier layer of the chain but the previous one. No layer may write what an earlier one reads or
  // writes. `lamport_buffer`: ConvolutionBatchNormLamportBytes() bytes, which may be shared with other launches that
  // apply batch norms, one at a time. InvalidArgument: there are no layers or too many, or ConvolutionChainConfigs does
  // not list the configuration. ConvolutionChainMayWait must be true, with the consequences of ForwardAndApply.
  absl::Status Run(const __nv_bfloat16* x, const std::vector<Layer>& layers, void* lamport_buffer,
                   cudaStream_t stream) const;

 private:
  ConvolutionBatchNorm layer_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_CHAIN_H_
