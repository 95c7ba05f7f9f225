// Interface between convolution_chain.cc and its kernel.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_CHAIN_KERNEL_H_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_CHAIN_KERNEL_H_

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "lib/kernels/convolution_batch_norm_kernel.h"

namespace lockstep {

// Maximum number of layers of a chain. A kernel has room for 4,096 bytes of parameters on every driver.
constexpr uint32_t kMaxChainLayers = 6;

// Position of the chain's counter in its `lamport_buffer`: the number of blocks that have written their part of a
// layer's output, added up over the layers. It has a sector of its own, and is 0 between launches.
constexpr uint32_t kChainCounterBytes = 64;
static_assert(kChainCounterBytes + sizeof(uint32_t) <= kLamportHeadBytes);

struct ConvolutionChainLayer {
  CUtensorMap weights;
  CUtensorMap input;  // ConvolutionInputMaps::map[0]
  ConvolutionBatchNormArguments arguments;
};

// Layers with equal `tiles`, `rings`, `waits` and `lamport_buffer`. The input of each layer but the first must be the
// output `y` of the one before. Fields of ConvolutionOverlap are those of layer 0.
struct ConvolutionChainArguments {
  uint32_t layers = 0;
  ConvolutionChainLayer layer[kMaxChainLayers];
};
static_assert(sizeof(ConvolutionChainArguments) <= 4096);

// Launches the kernel. launch: forward, a stride of 1, KeptTiles::kInRegisters, one weight block; cudaErrorInvalidValue
// for others.
cudaError_t LaunchConvolutionChain(const ConvolutionBatchNormLaunch& launch, const ConvolutionChainArguments& chain,
                                   cudaStream_t stream);

// Computes how many of the launch's blocks the current context holds at once if nothing else runs.
cudaError_t CountResidentChainBlocks(const ConvolutionBatchNormLaunch& launch, const ConvolutionBatchNormArguments& of,
                                     uint32_t* blocks);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_CHAIN_KERNEL_H_
