// Configurations of a convolution with a batch norm's sums (convolution_batch_norm.h), and the division of a launch's
// work and of its blocks' shared memory. Nothing here needs a GPU.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_PLAN_H_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/kernels/convolution_batch_norm_kernel.h"
#include "lib/kernels/convolution_shape.h"

namespace lockstep {

// Division of the work: the pixels of a tile (64, 128 or 256), the blocks that share the depth of a tile (1, 2, 4 or 8;
// with 256 pixels only 1), the groups of warps that multiply and write the tiles of a block in turn (2, or 3 with tiles
// of 128 pixels and 1 split), and the blocks that copy their weights together (1, or 2 with 1 split and 2 groups).
struct ConvolutionBatchNormConfig {
  uint32_t pixels = 256;
  uint32_t splits = 1;
  uint32_t groups = 2;
  uint32_t weight_blocks = 1;
};
inline bool operator==(const ConvolutionBatchNormConfig& a, const ConvolutionBatchNormConfig& b) {
  return a.pixels == b.pixels && a.splits == b.splits && a.groups == b.groups && a.weight_blocks == b.weight_blocks;
}

// Returns "tiles of 128 pixels, 2 splits", with ", 3 groups" if the groups are not 2, and with ", pairs share weights"
// if the blocks that copy weights together are not 1.
std::string DescribeConvolutionBatchNorm(const ConvolutionBatchNormConfig& config);

// Returns the configurations for a GPU of this many multiprocessors, the likeliest first. The list is empty unless the
// shape is covered:
// - a filter of 3, or of 1 in the forward pass; a stride of 1 or 2;
// - channels in multiples of 64; for a filter of 1, also fewer than 64 input channels in multiples of 8;
// - output images of size 4, 8, 16 or 32.
// Three groups are listed if the depth of a tile is short, and some block has tiles for all of them. Pairs of blocks
// that copy their weights together are listed last, for filters of 3 with 256 input or output channels or more, if all
// pixel tiles form pairs. They compute the same bits of the convolution as single blocks, but the order of a batch
// norm's sums depends on the number of blocks, which pairs make even.
std::vector<ConvolutionBatchNormConfig> ConvolutionBatchNormConfigs(const ConvolutionShape& shape, ConvolutionPass pass,
                                                                    uint32_t multiprocessors);

// Returns whether the launch can also apply the batch norm. It requires no more blocks than multiprocessors, tiles of
// at most 128 pixels, and one of:
// - at most two tiles per block, which stay in registers, and two groups;
// - tiles of 128 pixels, no splits, no pairs that share weights, and no more tiles per block than fit into shared
//   memory next to the rings; backward, also two groups. Forward, a block may have three times as many tiles, and reads
//   the others again.
// The blocks wait for each other, so two such launches must not run at the same time on a device.
bool ConvolutionBatchNormCanApply(const ConvolutionShape& shape, ConvolutionPass pass,
                                  const ConvolutionBatchNormConfig& config, uint32_t multiprocessors);

constexpr uint32_t kConvolutionBlockChannels = 64;  // channels of a tile and of a step of its depth
// Maximum shared memory of a block on Hopper: CUDA C++ Programming Guide, compute capability 9.0.
constexpr uint32_t kMaxConvolutionSharedBytes = 227 << 10;

// Last work of a launch: the sums of the batch norm, or also its application.
enum class ConvolutionBatchNormEnding { kSums, kApplies };

struct ConvolutionBatchNormPlan {
  ConvolutionBatchNormLaunch launch;
  ConvolutionTiles tiles;
  ConvolutionRings rings;
  uint32_t depth_channels = 0;  // channels of the input of the matrix product
  uint32_t input_rows = 0;      // rows of the input that a stage reads
};

// Plans a launch in one of ConvolutionBatchNormConfigs. kApplies: ConvolutionBatchNormCanApply must be true.
ConvolutionBatchNormPlan PlanConvolutionBatchNorm(const ConvolutionShape& shape, ConvolutionPass pass,
                                                  const ConvolutionBatchNormConfig& config, uint32_t multiprocessors,
                                                  ConvolutionBatchNormEnding ending);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_PLAN_H_
