// Interface between weight_gradient.cc and the kernel for 1x1 convolutions: the stages of the pixels, and the memory
// layout.
#ifndef LOCKSTEP_LIB_KERNELS_POINTWISE_GRADIENT_KERNEL_H_
#define LOCKSTEP_LIB_KERNELS_POINTWISE_GRADIENT_KERNEL_H_

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "lib/kernels/gradient_stage.h"

namespace lockstep {
namespace pointwise_gradient {

inline constexpr uint32_t kPixels = 128;      // output pixels of a stage
inline constexpr uint32_t kOutChannels = 64;  // output channels of a tile
inline constexpr uint32_t kBoxChannels = 64;  // input channels of a box; a tile has one or two boxes

// Returns the number of input channels of a tile.
constexpr uint32_t InChannels(uint32_t in_channels) { return in_channels % 128 == 0 ? 128 : 64; }

struct Arguments {
  uint32_t in_channels = 0, out_channels = 0;
  uint32_t size = 0;  // height and width of the output, at most 32
  uint32_t stages = 0;
  uint32_t splits = 0;
  float4* partial = nullptr;  // (splits, tiles, InChannels / 8, 128); used if there are several splits
  __nv_bfloat16* out = nullptr;
};

constexpr uint32_t Tiles(uint32_t in_channels, uint32_t out_channels) {
  return in_channels / InChannels(in_channels) * (out_channels / kOutChannels);
}

// Launches the kernel. gradient: (pixel, channel), boxes of kPixels x 64. input: (image, row, column, channel) of the
// input pixels that are read, boxes of ImagesOfStage, RowsOfStage (gradient_stage.h), size, 64. Both are in bf16,
// innermost dimension last, swizzled by 128 bytes.
cudaError_t Launch(const CUtensorMap& gradient, const CUtensorMap& input, const Arguments& arguments,
                   cudaStream_t stream);

// Computes arguments.out from arguments.partial if there are several splits.
cudaError_t LaunchSum(const Arguments& arguments, cudaStream_t stream);

}  // namespace pointwise_gradient
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_POINTWISE_GRADIENT_KERNEL_H_
