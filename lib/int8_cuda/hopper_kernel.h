// What hopper_convolution.cc hands to its kernel: how the tensors are cut into tiles, and where everything lies.
#ifndef LOCKSTEP_LIB_INT8_CUDA_HOPPER_KERNEL_H_
#define LOCKSTEP_LIB_INT8_CUDA_HOPPER_KERNEL_H_

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "lib/int8_cuda/epilogue.h"
#include "lib/int8_cuda/fast_requantize.cuh"

namespace lockstep {

// What of the input a stage of the depth reads: one line of channels, for one column of the filter unless said otherwise.
enum class HopperKind {
  kBox,     // 3x3: all there is to read, a box with a border on all sides; each tap begins at another line of it
  kSame,    // 3x3 of pictures too narrow for that: one box, whose rows the filter's read one lower each
  kHalved,  // 3x3 with a stride of 2: the odd rows for the filter's first and last, and the even ones for that between
  kPoints,  // 1x1: all rows and columns, with a stride of 2 the even ones
  kStem,    // as kBox, of 16 channels, which are a pixel's whole line: a row of the filter is one line of four taps, of
            // which the last one's weights are 0
};

// How a block's groups of four warps share the work.
enum class HopperTeam {
  kInTurn,    // they take tiles of 64 channels in turn, one multiplying while the others write
  kTogether,  // the two of them do a tile of 128 channels, reading the same input
  kAlone,     // there is one, which does one tile of 64 channels; two blocks fit a multiprocessor, so that the next
              // launch's begin early
};

// A tile of the output: some channels of 2^width_log2 columns of `tile_rows` image rows of 2^tile_images_log2 images. Its
// pixels are counted with the column fastest, then the image, then the row, so that from eight pixels to the next eight
// it is the same step in shared memory.
struct HopperTiles {
  uint32_t images = 0;     // of the batch
  uint32_t size_log2 = 0;  // height and width of an output image
  uint32_t width_log2 = 0;
  uint32_t tile_images_log2 = 0;
  uint32_t tile_rows = 0;
  uint32_t column_tiles_log2 = 0;  // tiles beside each other in an image
  uint32_t row_tiles_log2 = 0;     // and above each other
  uint32_t box_columns = 0;        // of the input in shared memory
  uint32_t stages = 0;             // of the depth
  uint32_t pixel_tiles = 0;
  uint32_t channel_blocks = 0;  // of a tile's channels
  uint32_t splits_log2 = 0;     // blocks of a cluster, which share a tile's depth
};

// Shared memory: rings of input boxes and of weights, in slots.
struct HopperRings {
  uint32_t input_slots = 0;
  uint32_t input_bytes = 0;  // of a box
  uint32_t weight_slots = 0;

  // From a slot to the next: each begins a swizzle pattern.
  __host__ __device__ uint32_t input_stride() const { return (input_bytes + 1023) / 1024 * 1024; }
};

struct HopperArguments {
  HopperTiles tiles;
  HopperRings rings;
  Epilogue epilogue;
  FastEpilogue fast;
  int8_t* out = nullptr;
};

struct HopperLaunch {
  HopperKind kind = HopperKind::kBox;
  uint32_t pixels = 0;                    // of a tile: 64, 128 or 256
  uint32_t line = 0;                      // bytes of the depth in a stage: 64 or 128
  HopperTeam team = HopperTeam::kInTurn;  // together: 256 pixels, a line of 128; alone: 64 or 128 pixels
  uint32_t blocks = 0;                    // a multiple of channel_blocks << splits_log2; splits are for kAlone
};

// Tensors of int8. weights: (out, taps, in), boxes of a tile's channels x 1 x line. Within 16 output channels, weights'
// row r is of channel 2 * (r % 8) + r / 8 (hopper_kernel.cu says why). input and output: (row, image, column, channel), in
// boxes of the rows that a stage reads, tile images, box_columns, line; of stride 2 every second row and column, [2 * (row
// is odd) + (column is odd)], one row more of the odd ones. output and addend in boxes of tile_rows, tile images,
// 2^width_log2, 64 channels. Swizzled by the line, output and addend by 64.
struct HopperMaps {
  CUtensorMap weights;
  CUtensorMap input[4];
  CUtensorMap output;
  CUtensorMap addend;
};

// InvalidValue: no kernel of that launch. Else the launch's error.
cudaError_t LaunchHopperConvolution(const HopperLaunch& launch, const HopperMaps& maps,
                                    const HopperArguments& arguments, cudaStream_t stream);

uint32_t HopperSharedBytes(const HopperLaunch& launch, const HopperArguments& arguments);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_HOPPER_KERNEL_H_
