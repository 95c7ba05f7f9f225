// Finds the fastest way to compute several layers of equal shape on this GPU: one launch in one of several
// configurations (convolution_chain.h), or launches for each layer.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_CHAIN_TUNING_H_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_CHAIN_TUNING_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/kernels/convolution_batch_norm.h"
#include "lib/kernels/convolution_chain.h"
#include "lib/kernels/convolution_shape.h"

namespace lockstep {

// Function that queues the layers one by one on the stream of the tuning. Parameters: those of ConvolutionChain::Run.
using LayersApart = std::function<absl::Status(
    const __nv_bfloat16* x, const std::vector<ConvolutionChain::Layer>& layers, void* lamport_buffer)>;

struct ConvolutionChainTimes {
  struct Trial {
    ConvolutionBatchNormConfig config;
    double microseconds = 0;
  };
  double apart_microseconds = 0;                   // time of all layers one by one; 0: no configuration was timed
  std::vector<Trial> trials;                       // times of the chain in each configuration
  std::optional<ConvolutionBatchNormConfig> best;  // nullopt: the layers are faster one by one, or cannot form a chain
};

// Times `layers` layers of this shape, every second of which adds a residual, one by one and as chains with this
// overlap on at most `multiprocessors`. Allocates tensors of all layers on the GPU and frees them (timing:
// graph_timer.h). Returns no trials if no configuration is possible, and the errors of `apart` and of CUDA.
absl::StatusOr<ConvolutionChainTimes> TuneConvolutionChain(const ConvolutionShape& shape, uint32_t layers,
                                                           uint32_t multiprocessors, const ConvolutionOverlap& overlap,
                                                           const LayersApart& apart, cudaStream_t stream);

// Returns the configurations in which all blocks of a chain run at once (ConvolutionChainMayWait).
absl::StatusOr<std::vector<ConvolutionBatchNormConfig>> PossibleChainConfigs(const ConvolutionShape& shape,
                                                                             uint32_t multiprocessors);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_CHAIN_TUNING_H_
