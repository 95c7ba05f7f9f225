// Interface between convolution_fp32.cc and its kernel.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_FP32_KERNEL_H_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_FP32_KERNEL_H_

#include <cuda_runtime.h>

#include <cstdint>

namespace lockstep {
namespace convolution_fp32 {

inline constexpr uint32_t kTileRows = 128;  // pixels of the output per tile
inline constexpr uint32_t kStepDepth = 16;  // channels of one tap that one step multiplies

// Matrix product: out (pixels, columns) = input neighbourhoods (pixels, taps * depth) * weights (taps * depth,
// columns).
struct Arguments {
  const float* input = nullptr;    // (images, in_size, in_size, depth)
  const float* weights = nullptr;  // (columns, taps, depth); data gradient: (depth, taps, columns), last tap first
  float* out = nullptr;            // (images, out_size, out_size, columns)
  uint32_t pixels = 0;             // pixels of the output: images * out_size * out_size
  uint32_t in_size = 0, out_size = 0, stride = 0;
  uint32_t depth = 0;    // must be a multiple of kStepDepth
  uint32_t columns = 0;  // must be a multiple of tile_columns
};

// Launches the kernel. A block computes kTileRows pixels by `tile_columns` (64 or 128) columns. The `splits` (1 to 8)
// blocks of a cluster share the steps of a tile, and its pixels when the sums are added.
cudaError_t Launch(const Arguments& arguments, bool data_gradient, uint32_t tile_columns, uint32_t splits,
                   cudaStream_t stream);

}  // namespace convolution_fp32
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_FP32_KERNEL_H_
