// What convolution_norm.cc hands to its kernel: how the tensors are cut into tiles, and where everything lies.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_NORM_KERNEL_H_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_NORM_KERNEL_H_

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "lib/kernels/batch_norm.h"
#include "lib/kernels/wait_report.h"

namespace lockstep {

// Columns of a tile with a border: eight, as many as a core matrix has rows, and one on each side.
constexpr uint32_t kBoxColumns = 10;

// Blocks of a launch that applies the batch norm, at most: the multiprocessors of a whole GH100.
constexpr uint32_t kConvolutionNormMostMeeting = 144;
constexpr uint32_t kMeetingHeadBytes = 128;
// Tiles that a block keeps, at most, when its launch applies the batch norm: as many as its registers hold.
constexpr uint32_t kConvolutionNormKeptTiles = 2;

// A tile of the output: 64 channels of 2^width_log2 columns of `rows` image rows of 2^images_log2 images. Its pixels
// are counted with the column fastest, then the image, then the row. So from eight pixels to the next eight it is the
// same step in shared memory, as the matrix instruction wants it, with a border beside the columns and without. The
// gradient of what a stride of 2 halved is four pictures of half the size in one, by the parity of row and column, each
// with taps of its own: such a tile is of every second row and column.
struct ConvolutionTiles {
  uint32_t images = 0;       // of the batch
  uint32_t size_log2 = 0;    // height and width of an image of the output, or of each of the four in it
  uint32_t spread_log2 = 0;  // 1: there are four
  uint32_t width_log2 = 0;
  uint32_t tile_images_log2 = 0;
  uint32_t tile_rows = 0;
  uint32_t column_tiles_log2 = 0;  // tiles beside each other in an image
  uint32_t row_tiles_log2 = 0;     // and above each other
  uint32_t box_columns = 0;        // of the input in shared memory: as many as an image has, or kBoxColumns
  uint32_t channels = 0;           // of the output
  uint32_t depth_blocks = 0;       // of 64 channels of the input; what the only one lacks reads as 0
  uint32_t stages = 0;             // of all of them; with spread, whose depth goes by the tile, unused
  uint32_t pixel_tiles = 0;        // of all four
  uint32_t channel_blocks = 0;     // of 64 channels of the output
  uint32_t filter = 3;             // 3, or 1
  uint32_t splits_log2 = 0;        // blocks of a cluster, which share a tile's depth

  bool bordered() const { return box_columns == kBoxColumns; }
};

// Shared memory: rings of input boxes and of weights, in slots.
struct ConvolutionRings {
  uint32_t input_slots = 0;
  uint32_t input_bytes = 0;  // of a box
  uint32_t weight_slots = 0;
  uint32_t exchange_bytes = 0;  // between the blocks of a cluster

  // From a slot to the next: each begins a swizzle pattern.
  __host__ __device__ uint32_t input_stride() const { return (input_bytes + 1023) / 1024 * 1024; }
};

struct ConvolutionNormArguments {
  ConvolutionTiles tiles;
  ConvolutionRings rings;
  __nv_bfloat16* out = nullptr;  // null, backward where the launch applies the batch norm: not wanted
  void* workspace = nullptr;
  WaitReport waits;  // where the launch applies the batch norm, as the next
  void* meeting = nullptr;
  BatchNormParameters parameters;         // forward
  BatchNormState state;                   // forward: written; backward: read
  const __nv_bfloat16* x = nullptr;       // backward, as the four below
  const __nv_bfloat16* addend = nullptr;  // null: none
  const uint8_t* relu_mask = nullptr;
  BatchNormGradients gradients;
  bool shortcut = false;  // a stride of 2: a 1x1 convolution's gradient is added
  // Where the launch applies the batch norm as well:
  BatchNormResidual<__nv_bfloat16> residual;  // forward
  __nv_bfloat16* y = nullptr;                 // what comes of it, backward the gradient of x, whose memory it may take
  uint8_t* y_mask = nullptr;                  // forward
};

struct ConvolutionNormLaunch {
  bool backward = false;
  uint32_t stride = 1;
  bool apply = false;   // pixels is 128 at most, all blocks run at once, no more than kConvolutionNormMostMeeting, and
                        // none has more than kConvolutionNormKeptTiles
  uint32_t pixels = 0;  // of a tile: 128 or 256, forward also 64
  uint32_t blocks = 0;  // a multiple of channel_blocks << splits_log2
};

// (row, image, column, channel). Of stride 1 the first alone, in boxes of tile_rows + 2, tile images, box_columns, 64
// channels. Of stride 2 forward every second row and column, [2 * (row is odd) + (column is odd)]: in boxes of
// tile_rows, one more of the odd rows. Backward the first in boxes of tile_rows + 1, and for a shortcut [1], its
// gradient in the same boxes, and [2], its weights as the others.
struct ConvolutionInputMaps {
  CUtensorMap map[4];
};

// weights: (out, filter * filter, in), boxes of 64 x 1 x 64. All in bf16, innermost dimension last, swizzled by 128
// bytes.
cudaError_t LaunchConvolutionNorm(const ConvolutionNormLaunch& launch, const CUtensorMap& weights,
                                  const ConvolutionInputMaps& inputs, const ConvolutionNormArguments& arguments,
                                  cudaStream_t stream);

// How many of the launch's blocks the current context holds at once, with nothing beside them.
cudaError_t CountResidentBlocks(const ConvolutionNormLaunch& launch, const ConvolutionNormArguments& arguments,
                                uint32_t* blocks);

uint32_t ConvolutionNormSharedBytes(const ConvolutionRings& rings);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_NORM_KERNEL_H_
