// Set-up of a block of the int8 convolution: its threads, its shared memory, and its tiles.
#ifndef LOCKSTEP_LIB_INT8_CUDA_HOPPER_BLOCK_CUH_
#define LOCKSTEP_LIB_INT8_CUDA_HOPPER_BLOCK_CUH_

#include "lib/cuda/main_loop.cuh"
#include "lib/cuda/slot_ring.cuh"
#include "lib/cuda/tensor_copy.cuh"
#include "lib/cuda/wgmma.cuh"
#include "lib/int8_cuda/hopper_kernel.h"

namespace lockstep {
namespace hopper {

using main_loop::kGroupWarps;
using main_loop::kWarp;

constexpr uint32_t kChannels = wgmma::kRows;  // channels of a group's tile
constexpr uint32_t kOutBytes = kChannels;     // bytes of a pixel in a group's tile
constexpr uint32_t kPatternBytes = 1024;

constexpr uint32_t kStemLine = 16;  // bytes of a pixel

// Returns the number of groups of four warps that multiply. A smaller tile leaves registers for more groups, so that
// more of them can write.
__host__ __device__ constexpr uint32_t GroupsOf(HopperTeam team, uint32_t pixels) {
  return team == HopperTeam::kAlone ? 1 : pixels == 256 ? 2 : 3;
}

// Returns the threads of a block: those of the groups, and those after them, of which the first one copies. If groups
// pass registers to each other, the last group must be whole, too.
__host__ __device__ constexpr uint32_t ThreadsOf(HopperTeam team, uint32_t pixels) {
  return GroupsOf(team, pixels) * wgmma::kThreads + (team == HopperTeam::kAlone ? kWarp : wgmma::kThreads);
}

// Compile-time configuration of a kernel.
template <HopperKind kKindOf, uint32_t kPixelsOf, uint32_t kLineOf, HopperTeam kTeamOf>
struct Shape {
  static constexpr HopperKind kKind = kKindOf;
  static constexpr uint32_t kPixels = kPixelsOf;
  static constexpr uint32_t kLine = kLineOf;
  static constexpr bool kTogether = kTeamOf == HopperTeam::kTogether;
  static constexpr bool kAlone = kTeamOf == HopperTeam::kAlone;

  static constexpr uint32_t kInputLine = kKind == HopperKind::kStem ? kStemLine : kLine;

  static constexpr uint32_t kFilter = kKind == HopperKind::kPoints ? 1 : 3;
  static constexpr uint32_t kTaps = kKind == HopperKind::kBox ? 9 : kFilter;  // taps per stage
  static constexpr uint32_t kStages =                                         // stages per line of the depth
      kKind == HopperKind::kStem ? 1 : kFilter * kFilter / kTaps;
  static constexpr uint32_t kGroups = GroupsOf(kTeamOf, kPixels);
  static constexpr uint32_t kConsumers = kGroups * wgmma::kThreads;
  static constexpr uint32_t kThreads = ThreadsOf(kTeamOf, kPixels);
  static constexpr uint32_t kBlocks = kAlone ? 2 : 1;  // blocks per SM
  static constexpr uint32_t kTileChannels = kChannels * (kTogether ? kGroups : 1);
  static constexpr uint32_t kWeightBytes = kTileChannels * kLine;
};

constexpr uint32_t kBoxColumns = 10;  // eight, the lines of a core matrix, and one on each side

__host__ __device__ constexpr uint32_t StagingBytes(uint32_t pixels) { return pixels * kOutBytes; }

// Offsets in a block's shared memory. All parts except the barriers lie on whole swizzle patterns.
struct SharedPlan {
  uint32_t weights, staging, barriers, bytes;

  // `split`: the exchange between the blocks of a cluster takes the place of the staging.
  __host__ __device__ SharedPlan(const HopperRings& rings, uint32_t weight_bytes, uint32_t pixels, uint32_t groups,
                                 bool split)
      : weights(rings.input_slots * rings.input_stride()), staging(weights + rings.weight_slots * weight_bytes),
        barriers(staging + (split ? kChannels * pixels * 4 : groups * StagingBytes(pixels))),
        bytes(barriers + kBarrierBytes * (2 * (rings.input_slots + rings.weight_slots) + 2 * groups + 1)) {}

  __host__ __device__ uint32_t exchanged() const { return bytes - kBarrierBytes; }
  __host__ __device__ uint32_t multiplied(uint32_t group) const { return bytes - (2 * group + 2) * kBarrierBytes; }
  __host__ __device__ uint32_t addend(uint32_t group) const { return bytes - (2 * group + 3) * kBarrierBytes; }
};

// Work of this block: tiles first, first + stride, ... of one channel block, and stages begin ... end - 1 of each tile.
struct Work {
  uint32_t rank;     // rank in the cluster
  uint32_t channel;  // first channel of the tile
  uint32_t first, stride;
  uint32_t begin, end;

  __device__ Work(const HopperTiles& tiles, uint32_t tile_channels) {
    const uint32_t unit = blockIdx.x >> tiles.splits_log2;
    rank = blockIdx.x & ((1u << tiles.splits_log2) - 1);
    channel = unit % tiles.channel_blocks * tile_channels;
    first = unit / tiles.channel_blocks;
    stride = (gridDim.x >> tiles.splits_log2) / tiles.channel_blocks;
    begin = tiles.stages * rank >> tiles.splits_log2;
    end = tiles.stages * (rank + 1) >> tiles.splits_log2;
  }

  template <typename S>
  __device__ main_loop::Stages StagesOf() const {
    return {begin, end, S::kTaps};
  }
};

// The first image, row and column of a tile.
struct Tile {
  uint32_t image, row, column;

  __device__ Tile(const HopperTiles& tiles, uint32_t index) {
    column = (index & ((1u << tiles.column_tiles_log2) - 1)) << tiles.width_log2;
    index >>= tiles.column_tiles_log2;
    row = (index & ((1u << tiles.row_tiles_log2) - 1)) * tiles.tile_rows;
    image = index >> tiles.row_tiles_log2 << tiles.tile_images_log2;
  }
};

// Pixel of a tile: its image, and its position in the image.
struct Pixel {
  uint32_t image, in_image;

  __device__ Pixel(const HopperTiles& tiles, const Tile& tile, uint32_t pixel) {
    const uint32_t column = tile.column + (pixel & ((1u << tiles.width_log2) - 1));
    const uint32_t above = pixel >> tiles.width_log2;
    image = tile.image + (above & ((1u << tiles.tile_images_log2) - 1));
    in_image = ((tile.row + (above >> tiles.tile_images_log2)) << tiles.size_log2) + column;
  }
};

__device__ inline void SyncGroup(uint32_t group) {
  asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "n"(wgmma::kThreads) : "memory");
}

}  // namespace hopper
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_HOPPER_BLOCK_CUH_
