// Interface between weight_gradient.cc and its kernel: the stages of the pixels, and the memory layout.
#ifndef LOCKSTEP_LIB_KERNELS_WEIGHT_GRADIENT_KERNEL_H_
#define LOCKSTEP_LIB_KERNELS_WEIGHT_GRADIENT_KERNEL_H_

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "lib/kernels/gradient_stage.h"

namespace lockstep {
namespace weight_gradient {

// Pixels of a stage, and the input that they need, for an output of height and width `size`. In shared memory, an input
// box is stored as lines of 64 channels, one line per pixel, column fastest, then row, then image.
//
// - Stride 1, size 8 and above: one box with one more column on either side; a tap is an offset in lines.
// - Stride 1, size 4: one box per column of the filter, because eight pixels are two rows and must be contiguous.
// - Stride 2: a box of the even columns and a box of the odd columns, with one more column on the left.
struct Geometry {
  uint32_t size, stride;
  uint32_t pixels;  // output pixels of a stage
  uint32_t images;  // images of a stage
  uint32_t rows;    // rows of a stage in each of its images
  uint32_t in_rows;
  uint32_t pitch;  // lines per row of a box
  uint32_t boxes;
  uint32_t box_lines;
  uint32_t slots;  // stages in shared memory

  __host__ __device__ constexpr Geometry(uint32_t size, uint32_t stride)
      : size(size), stride(stride), pixels(size == 4 || stride == 2 ? 64 : 128), images(ImagesOfStage(pixels, size)),
        rows(RowsOfStage(pixels, size)), in_rows((rows - 1) * stride + 3), pitch(size == 4     ? 4
                                                                                 : stride == 1 ? size + 2
                                                                                               : size + 1),
        boxes(size == 4 ? 3 : stride), box_lines(images * in_rows * pitch), slots(stride == 2 ? 4 : 5) {}

  // Returns the box that the filter's column s reads, and the line of the first pixel in it.
  __host__ __device__ constexpr uint32_t BoxOf(uint32_t s) const {
    return size == 4 ? s : stride == 1 ? 0 : s == 1 ? 0 : 1;
  }
  __host__ __device__ constexpr uint32_t LineOf(uint32_t s) const {
    return size == 4 ? 0 : stride == 1 ? s : s == 2 ? 1 : 0;
  }
  // Returns the distance in lines from the stage's first pixel to `pixel`.
  __host__ __device__ constexpr uint32_t LineOfPixel(uint32_t pixel) const {
    return (pixel / (size * size) * in_rows + pixel / size % size * stride) * pitch + pixel % size;
  }

  // Returns the last line of its box that the filter's column s reads: for the last pixel and the filter's last row.
  __host__ __device__ constexpr uint32_t LastLine(uint32_t s) const {
    return LineOf(s) + 2 * pitch + LineOfPixel(pixels - 1);
  }

  static constexpr uint32_t kLineBytes = 128;
  static constexpr uint32_t kPatternBytes = 1024;
  __host__ __device__ constexpr uint32_t gradient_bytes() const { return pixels * kLineBytes; }
  __host__ __device__ constexpr uint32_t box_bytes() const { return box_lines * kLineBytes; }
  __host__ __device__ constexpr uint32_t box_stride() const {
    return (box_bytes() + kPatternBytes - 1) / kPatternBytes * kPatternBytes;
  }
  __host__ __device__ constexpr uint32_t slot_bytes() const { return gradient_bytes() + boxes * box_stride(); }
};

struct Arguments {
  uint32_t in_channels = 0, out_channels = 0;
  uint32_t stages = 0;
  uint32_t splits = 0;
  float4* partial = nullptr;  // (splits, tiles, 3, 24, 128); used if there are several splits
  __nv_bfloat16* out = nullptr;
};

// Launches the kernel. gradient: (pixel, channel), boxes of geometry.pixels x 64. input: (image, row, column / stride,
// column % stride, channel), boxes of geometry.images, .in_rows, .pitch, 1, 64. Both are in bf16, innermost dimension
// last, swizzled by 128 bytes. columns: columns of the filter per block, 3 or 1.
cudaError_t Launch(const Geometry& geometry, uint32_t columns, const CUtensorMap& gradient, const CUtensorMap& input,
                   const Arguments& arguments, cudaStream_t stream);

// Computes arguments.out from arguments.partial if there are several splits.
cudaError_t LaunchSum(const Arguments& arguments, cudaStream_t stream);

}  // namespace weight_gradient
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_WEIGHT_GRADIENT_KERNEL_H_
