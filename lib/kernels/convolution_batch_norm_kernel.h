// Interface between convolution_batch_norm.h and its kernel: division into tiles, and memory layout.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_KERNEL_H_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_KERNEL_H_

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "lib/cuda/wait_report.h"
#include "lib/kernels/batch_norm.h"

namespace lockstep {

// Columns of a tile with a border: eight, the number of rows of a core matrix, plus one on each side.
constexpr uint32_t kBoxColumns = 10;

// Maximum number of blocks of a launch that applies the batch norm: the multiprocessors of a full GH100.
constexpr uint32_t kConvolutionBatchNormMaxResidentBlocks = 144;
constexpr uint32_t kLamportHeadBytes = 128;

// Place where a block keeps its tiles until the launch applies the batch norm to them.
enum class KeptTiles {
  kNone,         // the launch does not apply the batch norm
  kInRegisters,  // all tiles, at most kMaxTilesInRegisters
  // The last tiles in shared memory, in as many slots as have room (ConvolutionRings::tile_slots). Forward, earlier
  // tiles are read again from the output, by the threads that have written them; backward, there must not be any, and
  // two groups. Tiles of 128 pixels, no splits.
  kInShared,
};
constexpr uint32_t kMaxTilesInRegisters = 2;

// Blocks that may copy their weights together (ConvolutionBatchNormLaunch::weight_blocks).
constexpr uint32_t kPairBlocks = 2;

// Division of the output into tiles. A tile has 64 channels of 2^width_log2 columns of `tile_rows` image rows of
// 2^tile_images_log2 images. Pixels are numbered with the column fastest, then the image, then the row. Hence the step
// in shared memory from eight pixels to the next eight is constant, with and without a border, as the matrix
// instruction requires.
//
// The data gradient for a stride of 2 consists of four interleaved images of half the size, one per parity of row and
// column, each with its own taps. A tile then has every second row and column.
struct ConvolutionTiles {
  uint32_t images = 0;       // images of the batch
  uint32_t size_log2 = 0;    // height and width of an output image, or of each of the four interleaved images
  uint32_t spread_log2 = 0;  // 1: the output consists of four interleaved images
  uint32_t width_log2 = 0;
  uint32_t tile_images_log2 = 0;
  uint32_t tile_rows = 0;
  uint32_t column_tiles_log2 = 0;  // tiles side by side in an image
  uint32_t row_tiles_log2 = 0;     // tiles one above the other in an image
  uint32_t box_columns = 0;        // columns of an input box: those of an image, or kBoxColumns
  uint32_t channels = 0;           // channels of the output
  uint32_t depth_blocks = 0;       // blocks of 64 input channels; missing channels read as 0
  // Number of stages of all depth blocks; unused if spread_log2 is 1: the depth then depends on the tile.
  uint32_t stages = 0;
  uint32_t pixel_tiles = 0;     // pixel tiles of all four interleaved images
  uint32_t channel_blocks = 0;  // blocks of 64 output channels
  uint32_t filter = 3;          // 3 or 1
  uint32_t splits_log2 = 0;     // blocks of a cluster, which share a tile's depth

  bool bordered() const { return box_columns == kBoxColumns; }
  uint32_t tile_images() const { return 1u << tile_images_log2; }
};

// Rings of slots in shared memory: one of input boxes and one of weights.
struct ConvolutionRings {
  uint32_t input_slots = 0;
  uint32_t input_bytes = 0;  // bytes of an input box
  uint32_t weight_slots = 0;
  uint32_t exchange_bytes = 0;  // bytes exchanged between the blocks of a cluster
  // KeptTiles::kInShared: slots in which a tile of 128 pixels is transposed and stays, a multiple of the groups; 0: one
  // slot per group, which the group's next tile overwrites.
  uint32_t tile_slots = 0;

  // Bytes from one slot to the next; each slot starts at a swizzle pattern.
  __host__ __device__ uint32_t input_stride() const { return (input_bytes + 1023) / 1024 * 1024; }
};

struct ConvolutionBatchNormArguments {
  ConvolutionTiles tiles;
  ConvolutionRings rings;
  __nv_bfloat16* out = nullptr;  // null: not written; only allowed backward in a launch that applies the batch norm
  void* workspace = nullptr;
  WaitReport waits;  // used if the launch applies the batch norm, like `lamport_buffer`
  void* lamport_buffer = nullptr;
  BatchNormParameters parameters;         // forward
  BatchNormState state;                   // forward: written; backward: read
  const __nv_bfloat16* x = nullptr;       // this and the next four fields: backward
  const __nv_bfloat16* addend = nullptr;  // null: no addend
  const uint8_t* relu_mask = nullptr;
  BatchNormGradients gradients;
  bool shortcut = false;       // stride of 2: adds the gradient of a 1x1 convolution
  bool weights_ahead = false;  // fields of ConvolutionOverlap
  bool next_early = false;
  // Used if the launch also applies the batch norm:
  BatchNormResidual<__nv_bfloat16> residual;  // forward
  __nv_bfloat16* y = nullptr;                 // output; backward: the gradient of x, may be x
  uint8_t* y_mask = nullptr;                  // forward
};

struct ConvolutionBatchNormLaunch {
  bool backward = false;
  uint32_t stride = 1;
  // Other than kNone: also applies the batch norm. Requires pixels <= 128, and that all blocks run at once, at most
  // kConvolutionBatchNormMaxResidentBlocks.
  KeptTiles kept = KeptTiles::kNone;
  uint32_t pixels = 0;  // pixels of a tile: 128 or 256, forward also 64
  // Groups of warps that multiply and write tiles in turn: 2, or 3 with tiles of 128 pixels, each by one block, without
  // applying the batch norm. Images of 4x4 with a stride of 1 and a filter of 3 have only 2.
  uint32_t groups = 2;
  // Blocks of a cluster that take neighbouring pixel tiles of the same channels and copy their weights together: 1 or
  // kPairBlocks. With 2, ConvolutionTiles::splits_log2 must be 0, and pixel_tiles even (with spread_log2, a multiple of
  // 8, so that both tiles have the same parity).
  uint32_t weight_blocks = 1;
  uint32_t blocks = 0;  // must be a multiple of channel_blocks * (weight_blocks << splits_log2)
};

// Tensor maps of the input, (row, image, column, channel):
// - Stride 1: map[0] only, in boxes of tile_rows + 2 (for a filter of 1: tile_rows), tile images, box_columns, 64
//   channels.
// - Stride 2, forward: every second row and column, map[2 * (row is odd) + (column is odd)], in boxes of tile_rows for
//   the even rows and tile_rows + 1 for the odd rows.
// - Stride 2, backward: map[0] in boxes of tile_rows + 1. With a shortcut also map[1], the shortcut's gradient in the
//   same boxes, and map[2], the shortcut's weights in boxes like those of the other weights.
struct ConvolutionInputMaps {
  CUtensorMap map[4];
};

// Launches the kernel. weights: (out, filter * filter, in), boxes of 64 / weight_blocks x 1 x 64. All tensors are in
// bf16, innermost dimension last, swizzled by 128 bytes.
cudaError_t LaunchConvolutionBatchNorm(const ConvolutionBatchNormLaunch& launch, const CUtensorMap& weights,
                                       const ConvolutionInputMaps& inputs,
                                       const ConvolutionBatchNormArguments& arguments, cudaStream_t stream);

using ConvolutionBatchNormFunction = void (*)(const CUtensorMap, const ConvolutionInputMaps,
                                              const ConvolutionBatchNormArguments);

// Returns the kernel for a launch with weight_blocks == kPairBlocks, or null if there is none
// (convolution_batch_norm_pairs.cu).
ConvolutionBatchNormFunction ChooseConvolutionBatchNormPairs(const ConvolutionBatchNormLaunch& launch,
                                                             const ConvolutionTiles& tiles);

// Computes how many of the launch's blocks the current context holds at once if nothing else runs.
cudaError_t CountResidentBlocks(const ConvolutionBatchNormLaunch& launch,
                                const ConvolutionBatchNormArguments& arguments, uint32_t* blocks);

// Returns the bytes of shared memory of a block with this many groups.
uint32_t ConvolutionBatchNormSharedBytes(const ConvolutionRings& rings, uint32_t groups);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_KERNEL_H_
