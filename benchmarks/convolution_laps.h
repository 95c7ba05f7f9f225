// Backward kernels of lib/kernels/convolution_batch_norm.h with a clock that measures the laps of their tiles.
#ifndef LOCKSTEP_BENCHMARKS_CONVOLUTION_LAPS_H_
#define LOCKSTEP_BENCHMARKS_CONVOLUTION_LAPS_H_

#include <cuda_runtime.h>

#include <cstdint>

#include "lib/kernels/convolution_batch_norm_kernel.h"
#include "lib/kernels/convolution_batch_norm_laps.h"

namespace lockstep {

inline constexpr uint32_t kMaxLapGroups = 4;

// Clock cycles of a block's multiprocessor, as its groups of warps have counted them.
struct BlockLaps {
  struct Group {
    uint32_t tiles;                                  // number of the group's tiles
    uint32_t cycles[convolution_batch_norm::kLaps];  // sums over these tiles without the first one
    uint32_t begin;                                  // cycles from the start of the block to the group's first tile
    uint32_t end;                                    // cycles from the end of its last tile to the end of the block
    uint32_t block;                                  // cycles from the start of the block to its end
    uint32_t nanoseconds;                            // the same time by the GPU's global timer
  };
  Group groups[kMaxLapGroups];
};

// Sets where later launches write their laps: (blocks) in device memory, which must be zeroed before the first one.
cudaError_t SetConvolutionLaps(BlockLaps* laps);

// Launches the kernel like LaunchConvolutionBatchNorm, and writes the laps of each block. The launch must be backward,
// must not apply the batch norm or share tiles between blocks, and its images must be larger than 4x4; otherwise
// returns cudaErrorInvalidValue. Two such launches must not run at the same time.
cudaError_t LaunchConvolutionLaps(const ConvolutionBatchNormLaunch& launch, const CUtensorMap& weights,
                                  const ConvolutionInputMaps& inputs, const ConvolutionBatchNormArguments& arguments,
                                  cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_CONVOLUTION_LAPS_H_
