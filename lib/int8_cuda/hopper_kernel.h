// Arguments of the kernel of hopper_convolution.cc: the tiles of the tensors, and the position of all data.
#ifndef LOCKSTEP_LIB_INT8_CUDA_HOPPER_KERNEL_H_
#define LOCKSTEP_LIB_INT8_CUDA_HOPPER_KERNEL_H_

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "lib/int8_cuda/epilogue.h"
#include "lib/int8_cuda/fast_requantize.cuh"

namespace lockstep {

// Part of the input that a stage of the depth reads: one line of channels, for one column of the filter unless stated.
enum class HopperKind {
  kBox,     // 3x3: the whole filter, in a box with a border on all sides; each tap begins at another line of the box
  kSame,    // 3x3 of images too narrow for kBox: one box; each row of the filter begins one row lower
  kHalved,  // 3x3 with a stride of 2: odd rows for the filter's first and last row, even rows for its middle row
  kPoints,  // 1x1: all rows and columns; with a stride of 2 the even ones
  kStem,    // kBox with 16 channels, which are a pixel's whole line: a row of the filter is one line of four taps, and
            // the weights of the last tap are 0
};

// Division of work between a block's groups of four warps.
enum class HopperTeam {
  kInTurn,    // groups take tiles of 64 channels in turn; one multiplies while the others write
  kTogether,  // two groups compute a tile of 128 channels, reading the same input
  kAlone,     // one group computes one tile of 64 channels; two blocks fit on an SM, so that the next launch's blocks
              // begin early
};

// Tile of the output: some channels of 2^width_log2 columns of `tile_rows` image rows of 2^tile_images_log2 images.
// Pixels are numbered with the column fastest, then the image, then the row. Hence the step in shared memory from eight
// pixels to the next eight is constant.
struct HopperTiles {
  uint32_t images = 0;     // images of the batch
  uint32_t size_log2 = 0;  // height and width of an output image
  uint32_t width_log2 = 0;
  uint32_t tile_images_log2 = 0;
  uint32_t tile_rows = 0;
  uint32_t column_tiles_log2 = 0;  // tiles next to each other in an image
  uint32_t row_tiles_log2 = 0;     // tiles above each other in an image
  uint32_t box_columns = 0;        // columns of an input box in shared memory
  uint32_t stages = 0;             // stages of the depth
  uint32_t pixel_tiles = 0;
  uint32_t channel_blocks = 0;  // blocks of output channels; each has a tile's channels
  uint32_t splits_log2 = 0;     // blocks of a cluster, which share a tile's depth
};

// Shared memory: rings of slots for input boxes and for weights.
struct HopperRings {
  uint32_t input_slots = 0;
  uint32_t input_bytes = 0;  // bytes of a box
  uint32_t weight_slots = 0;

  // Returns the bytes from a slot to the next one; each slot begins a swizzle pattern.
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
  uint32_t pixels = 0;                    // pixels per tile: 64, 128 or 256
  uint32_t line = 0;                      // bytes of the depth in a stage: 64 or 128
  HopperTeam team = HopperTeam::kInTurn;  // kTogether needs 256 pixels and a line of 128; kAlone needs 64 or 128 pixels
  uint32_t blocks = 0;                    // multiple of channel_blocks << splits_log2; only kAlone may have splits
};

// TMA maps of the int8 tensors:
// - weights: (out, taps, in), in boxes of a tile's channels x 1 x line. Within 16 output channels, row r is of channel
//   2 * (r % 8) + r / 8 (hopper_kernel.cuh gives the reason).
// - input: (row, image, column, channel), in boxes of the rows that a stage reads, tile images, box_columns, line. With
//   a stride of 2, map 2 * (row is odd) + (column is odd) has every second row and column; boxes of odd rows have one
//   row more.
// - output and addend: (row, image, column, channel), in boxes of tile_rows, tile images, 2^width_log2, 64 channels.
//
// Weights and input are swizzled by the line, output and addend by 64 bytes.
struct HopperMaps {
  CUtensorMap weights;
  CUtensorMap input[4];
  CUtensorMap output;
  CUtensorMap addend;
};

// Returns cudaErrorInvalidValue if there is no kernel for the launch, else the launch's error.
cudaError_t LaunchHopperConvolution(const HopperLaunch& launch, const HopperMaps& maps,
                                    const HopperArguments& arguments, cudaStream_t stream);

uint32_t HopperSharedBytes(const HopperLaunch& launch, const HopperArguments& arguments);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_HOPPER_KERNEL_H_
