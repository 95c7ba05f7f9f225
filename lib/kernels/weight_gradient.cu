// The weight gradient of a 3x3 convolution as a matrix product on Hopper's tensor cores:
//
//     dw (out, taps * in) = dy^T (out, pixels) * im2col(x) (pixels, taps * in)
//
// A tile is 64 output channels by 64 input channels with all their nine taps.
//
// Both operands have their channels along a line and one line per pixel, the depth; the matrix instruction can read
// this layout directly. A tap is only a different first line in the same input box. Hence each value of x is loaded
// once per tile (1.4 to 1.6 times with its border); an engine without such boxes loads it once per tap. Three groups of
// four warps compute one column of the filter each. The three rows of a column are one instruction 192 wide, whose next
// 64 columns lie one image row further.
//
// A tile has few outputs and many pixels, so blocks share its pixels, and a second kernel adds up their sums. If there
// are few pixels, these sums are most of the work. Then a block computes one column of the filter and its groups share
// the pixels, so that a third as many blocks share a sum. (Rejected: adding up within a cluster first, through shared
// memory, took longer than both.)
#include "lib/cuda/overlapped_launch.cuh"
#include "lib/cuda/tensor_copy.cuh"
#include "lib/cuda/wgmma.cuh"
#include "lib/kernels/sum_partials.cuh"
#include "lib/kernels/weight_gradient_kernel.h"

namespace lockstep {
namespace weight_gradient {
namespace {

constexpr uint32_t kWarp = 32;
constexpr uint32_t kFilter = 3;
constexpr uint32_t kGroups = kFilter;                     // one group per column of the filter
constexpr uint32_t kThreads = kGroups * wgmma::kThreads;  // the first thread also copies
// Limits a thread to 128 registers, of which 96 are the accumulator's: a quarter of the registers stays free for a
// kernel that moves memory and runs at the same time.
constexpr uint32_t kThreadsOfBound = 512;

constexpr uint32_t kChannels = 64;
constexpr uint32_t kColumns = kFilter * kChannels;  // columns of a group's accumulator
constexpr uint32_t kColumnBlocks = kColumns / 8;    // blocks of columns; a thread holds four values of each
constexpr uint32_t kTileVectors = kGroups * kColumnBlocks * wgmma::kThreads;  // vectors of four values
constexpr uint32_t kExchangeBytes = kTileVectors * sizeof(float4);

// Returns the end of the last input operand if its lines, 192 x 16 values, were contiguous. They are not, and no line
// beyond the box is read, but compute-sanitizer assumes so; hence this memory is allocated.
constexpr uint32_t EndOfOperands(const Geometry& g) {
  const uint32_t last_box = (g.slots - 1) * g.slot_bytes() + g.gradient_bytes() + g.BoxOf(kFilter - 1) * g.box_stride();
  const uint32_t last_line = g.LineOf(kFilter - 1) + g.LineOfPixel(g.pixels - wgmma::kDepth);
  return last_box + last_line * wgmma::kLineBytes + kColumns * wgmma::kDepth * static_cast<uint32_t>(sizeof(uint16_t));
}

constexpr uint32_t SharedBytes(const Geometry& g) {
  const uint32_t used = g.slots * g.slot_bytes() + 2 * g.slots * kBarrierBytes;
  return (used > EndOfOperands(g) ? used : EndOfOperands(g)) + Geometry::kPatternBytes;
}

__host__ __device__ constexpr uint32_t TileCount(const Arguments& arguments) {
  return arguments.in_channels / kChannels * (arguments.out_channels / kChannels);
}

// Tile of a block, its column of the filter if it computes one, and its stages: every splits-th of the tile. Thus all
// blocks advance through the pixels together, at the same time as the data gradient that reads the same pixels, and
// data that were written last come from the L2 cache.
struct Work {
  uint32_t split, tile, column;
  uint32_t out_channel, in_channel;  // the tile's first channels
  uint32_t splits, stages;           // number of splits of the tile; number of stages of this block

  __device__ Work(const Arguments& arguments, uint32_t columns) {
    const uint32_t in_blocks = arguments.in_channels / kChannels;
    const uint32_t units = TileCount(arguments) * (kFilter / columns);
    split = blockIdx.x / units;
    tile = blockIdx.x % units / (kFilter / columns);
    column = blockIdx.x % (kFilter / columns);
    out_channel = tile / in_blocks * kChannels;
    in_channel = tile % in_blocks * kChannels;
    splits = arguments.splits;
    stages = (arguments.stages - split + splits - 1) / splits;
  }
};

struct Slots {
  uint32_t data, full, empty;  // addresses for slot 0
  uint32_t slot = 0, phase = 0;

  __device__ void Next(uint32_t slots) {
    if (++slot == slots) {
      slot = 0;
      phase ^= 1;
    }
  }
  __device__ uint32_t Full() const { return full + slot * kBarrierBytes; }
  __device__ uint32_t Empty() const { return empty + slot * kBarrierBytes; }
};

// Fills a slot with the block's n-th stage of the pixels, once the slot is free.
template <uint32_t kSize, uint32_t kStride, uint32_t kColumnsOfBlock>
__device__ void Copy(const Work& work, uint32_t n, const CUtensorMap& gradient, const CUtensorMap& input,
                     const Slots& slots) {
  constexpr Geometry g(kSize, kStride);
  constexpr uint32_t kRowStages = kSize / g.rows;  // stages in an image, from top to bottom
  WaitFor(slots.Empty(), slots.phase ^ 1);
  ArriveExpecting(slots.Full(), g.gradient_bytes() + (kColumnsOfBlock == 1 ? 1 : g.boxes) * g.box_bytes());
  const uint32_t to = slots.data + slots.slot * g.slot_bytes();
  const uint32_t stage = work.split + n * work.splits;
  const auto image = static_cast<int32_t>(stage / kRowStages * g.images);
  const int32_t row = static_cast<int32_t>(stage % kRowStages * g.rows * kStride) - 1;
  CopyBox(gradient, to, slots.Full(), static_cast<int32_t>(work.out_channel), static_cast<int32_t>(stage * g.pixels));
#pragma unroll
  for (uint32_t box = 0; box < g.boxes; ++box) {
    if (kColumnsOfBlock == 1 && box != g.BoxOf(work.column)) {
      continue;
    }
    const uint32_t at = to + g.gradient_bytes() + box * g.box_stride();
    // First column. With a stride of 1, one column to the left; with three boxes, one column further for each box. With
    // a stride of 2, the even columns start at 0 and the odd columns at -1, which is the second column of pair -1.
    const int32_t column = kStride == 1 ? static_cast<int32_t>(box) - 1 : -static_cast<int32_t>(box);
    CopyBox(input, at, slots.Full(), static_cast<int32_t>(work.in_channel),
            static_cast<int32_t>(kStride == 1 ? 0 : box), column, row, image);
  }
}

// Accumulates, in a group's registers, its column of the filter over all stages, or the block's column over every third
// stage.
template <uint32_t kSize, uint32_t kStride, uint32_t kColumnsOfBlock>
__device__ void Multiply(const Work& work, uint32_t group, const CUtensorMap& gradient, const CUtensorMap& input,
                         Slots slots, float (&acc)[kColumns / 2]) {
  constexpr Geometry g(kSize, kStride);
  constexpr uint32_t kAhead = g.slots - 2;  // stages; the other two slots are being multiplied or released
  constexpr uint32_t kSteps = g.pixels / wgmma::kDepth;
  constexpr uint32_t kEightPixels = g.LineOfPixel(8) * wgmma::kLineBytes;
  constexpr uint32_t kTurns = kFilter / kColumnsOfBlock;  // groups that take stages in turn
  // If the groups take stages in turn, a group waits for its instructions while those of the other groups run.
  // Otherwise it issues its next stage first.
  constexpr int kPending = kColumnsOfBlock == 1 ? 0 : 1;
  const bool first_lane = threadIdx.x % kWarp == 0;
  const uint32_t column = kColumnsOfBlock == 1 ? work.column : group;
  const uint32_t first_line =
      g.gradient_bytes() + g.BoxOf(column) * g.box_stride() + g.LineOf(column) * wgmma::kLineBytes;
  const uint32_t turn = kColumnsOfBlock == 1 ? group : 0;
  Slots ahead = slots;
  const auto copy = [&](uint32_t stage) {
    if (threadIdx.x == 0 && stage < work.stages) {
      Copy<kSize, kStride, kColumnsOfBlock>(work, stage, gradient, input, ahead);
      ahead.Next(g.slots);
    }
    __syncwarp();
  };
  for (uint32_t stage = 0; stage < kAhead; ++stage) {
    copy(stage);
  }
  uint32_t done = 0;  // slot to release once the instructions that read it have finished
  for (uint32_t stage = 0; stage < work.stages; ++stage, slots.Next(g.slots)) {
    copy(stage + kAhead);
    // Also waits for the other groups' stages, and a slot is free only when all groups have seen it full. A barrier
    // distinguishes phases only by parity, so a group that missed one would wait for a slot that waits for this group.
    WaitFor(slots.Full(), slots.phase);
    if (stage % kTurns != turn) {
      if (first_lane) {
        Arrive(slots.Empty());
      }
      continue;
    }
    const uint32_t at = slots.data + slots.slot * g.slot_bytes();
    const uint64_t a = wgmma::DescribeLinesAcross(at, wgmma::kPatternBytes, wgmma::kPatternBytes);
    const uint64_t b = wgmma::DescribeLinesAcross(at + first_line, kEightPixels, g.pitch * wgmma::kLineBytes);
    wgmma::Fence();
#pragma unroll
    for (uint32_t k = 0; k < kSteps; ++k) {
      wgmma::MultiplyAsync</*kAIsMMajor=*/true, /*kBIsNMajor=*/true>(
          wgmma::Deeper(a, k * wgmma::kDeeperAcrossLines),
          wgmma::Deeper(b, g.LineOfPixel(k * wgmma::kDepth) * wgmma::kLineBytes / 16), acc);
    }
    wgmma::Commit();
    wgmma::Wait<kPending>();
    const uint32_t over = kPending == 0 ? slots.Empty() : done;
    if (first_lane && over != 0) {
      Arrive(over);
    }
    done = slots.Empty();
  }
  wgmma::Wait<0>();
}

// Writes four sums of a tile to their place in the output: the sums of thread t of a group in its block of eight
// columns.
__device__ void Write(const Arguments& arguments, uint32_t tile, uint32_t group, uint32_t column_block, uint32_t thread,
                      const float4& sum) {
  const uint32_t in_blocks = arguments.in_channels / kChannels;
  const uint32_t column = column_block * 8 + wgmma::ColumnOf(thread);
  const uint32_t tap = column / kChannels * kFilter + group;
  const uint32_t in = tile % in_blocks * kChannels + column % kChannels;
  const uint32_t out = tile / in_blocks * kChannels + wgmma::RowOf(thread);
  const auto to = [&](uint32_t row) {
    return reinterpret_cast<__nv_bfloat162*>(arguments.out +
                                             (size_t{row} * kFilter * kFilter + tap) * arguments.in_channels + in);
  };
  *to(out) = __floats2bfloat162_rn(sum.x, sum.y);
  *to(out + 8) = __floats2bfloat162_rn(sum.z, sum.w);
}

// Writes a block's sums to memory, as the result or as a partial. `exchange`: shared memory of kExchangeBytes.
template <uint32_t kColumnsOfBlock>
__device__ void AddUp(const Arguments& arguments, const Work& work, uint32_t group, float4* exchange,
                      const float (&acc)[kColumns / 2]) {
  const uint32_t thread = threadIdx.x % wgmma::kThreads;
  const auto leave = [&](uint32_t column, uint32_t block, const float4& sum) {
    if (arguments.splits == 1) {
      Write(arguments, work.tile, column, block, thread, sum);
    } else {
      arguments.partial[(size_t{work.split} * TileCount(arguments) + work.tile) * kTileVectors +
                        (column * kColumnBlocks + block) * wgmma::kThreads + thread] = sum;
    }
  };
  const auto mine = [&](uint32_t j) { return float4{acc[4 * j], acc[4 * j + 1], acc[4 * j + 2], acc[4 * j + 3]}; };
  if constexpr (kColumnsOfBlock == kFilter) {
#pragma unroll
    for (uint32_t j = 0; j < kColumnBlocks; ++j) {
      leave(group, j, mine(j));
    }
  } else {
    // Each group adds up a third of the columns, with the groups' sums in order.
    __syncthreads();  // all groups have finished reading the slots
#pragma unroll
    for (uint32_t j = 0; j < kColumnBlocks; ++j) {
      exchange[(group * kColumnBlocks + j) * wgmma::kThreads + thread] = mine(j);
    }
    __syncthreads();
    constexpr uint32_t kThird = kColumnBlocks / kGroups;
#pragma unroll
    for (uint32_t j = 0; j < kThird; ++j) {
      const float4* const from = exchange + (group * kThird + j) * wgmma::kThreads + thread;
      leave(work.column, group * kThird + j,
            Add(Add(from[0], from[kColumnBlocks * wgmma::kThreads]), from[2 * kColumnBlocks * wgmma::kThreads]));
    }
  }
}

template <uint32_t kSize, uint32_t kStride, uint32_t kColumnsOfBlock>
__global__ void __launch_bounds__(kThreadsOfBound, 1)
    WeightGradientKernel(const __grid_constant__ CUtensorMap gradient, const __grid_constant__ CUtensorMap input,
                         const __grid_constant__ Arguments arguments) {
#ifndef LOCKSTEP_CODE_LEFT_OUT
  constexpr Geometry g(kSize, kStride);
  static_assert(g.slots * g.slot_bytes() >= kExchangeBytes, "the slots' memory is exchanged through");
  static_assert(g.LastLine(0) < g.box_lines && g.LastLine(1) < g.box_lines && g.LastLine(2) < g.box_lines,
                "nothing beyond a box is read");
  if (threadIdx.x == 0) {
    PrefetchMap(gradient);
    PrefetchMap(input);
  }
  extern __shared__ char unaligned[];
  const uint32_t skew =
      (Geometry::kPatternBytes - SharedAddress(unaligned) % Geometry::kPatternBytes) % Geometry::kPatternBytes;
  const uint32_t base = SharedAddress(unaligned) + skew;
  const uint32_t barriers = base + g.slots * g.slot_bytes();
  const Slots slots = {base, barriers, barriers + g.slots * kBarrierBytes};
  const Work work(arguments, kColumnsOfBlock);
  const uint32_t warp = wgmma::OfWarp(threadIdx.x / kWarp);
  if (threadIdx.x % kWarp == 0 && warp < g.slots) {  // threads of one warp would run serially
    static_assert(g.slots <= kThreads / kWarp, "a warp for each slot");
    InitBarrier(slots.full + warp * kBarrierBytes, 1);
    InitBarrier(slots.empty + warp * kBarrierBytes, kThreads / kWarp);
    PublishBarriers();
  }
  __syncthreads();
  WaitForLaunchBefore();
  const uint32_t group = wgmma::OfWarp(threadIdx.x / wgmma::kThreads);
  float acc[kColumns / 2];
#pragma unroll
  for (float& value : acc) {
    value = 0;
  }
  Multiply<kSize, kStride, kColumnsOfBlock>(work, group, gradient, input, slots, acc);
  LetNextBegin();
  AddUp<kColumnsOfBlock>(arguments, work, group, reinterpret_cast<float4*>(unaligned + skew), acc);
#endif
}

constexpr uint32_t kSumThreads = 256;  // threads of a block of the second kernel

template <uint32_t kLanes>
__global__ void __launch_bounds__(kSumThreads) SumPartialsKernel(const __grid_constant__ Arguments arguments) {
  constexpr uint32_t kVectors = kSumThreads / kLanes;
  const uint32_t vector = blockIdx.x * kVectors + threadIdx.x;  // index over all tiles
  float4 sum;
  if (!SumPartials<kVectors, kLanes>(arguments.partial + vector, size_t{TileCount(arguments)} * kTileVectors,
                                     arguments.splits, sum)) {
    return;
  }
  const uint32_t in_tile = vector % kTileVectors, block = in_tile / wgmma::kThreads;
  Write(arguments, vector / kTileVectors, block / kColumnBlocks, block % kColumnBlocks, in_tile % wgmma::kThreads, sum);
}

template <uint32_t kLanes>
cudaError_t LaunchSumBy(const Arguments& arguments, cudaStream_t stream) {
  constexpr uint32_t kVectors = kSumThreads / kLanes;
  static_assert(kTileVectors % kVectors == 0, "a block's vectors are of one tile");
  SumPartialsKernel<kLanes>
      <<<TileCount(arguments) * (kTileVectors / kVectors), dim3(kVectors, kLanes), 0, stream>>>(arguments);
  return cudaGetLastError();
}

template <uint32_t kSize, uint32_t kStride, uint32_t kColumnsOfBlock>
cudaError_t LaunchAs(const CUtensorMap& gradient, const CUtensorMap& input, const Arguments& arguments,
                     cudaStream_t stream) {
  const auto kernel = WeightGradientKernel<kSize, kStride, kColumnsOfBlock>;
  constexpr uint32_t kBytes = SharedBytes(Geometry(kSize, kStride));
  const cudaError_t error =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kBytes));
  if (error != cudaSuccess) {
    return error;
  }
  const uint32_t blocks = TileCount(arguments) * (kFilter / kColumnsOfBlock) * arguments.splits;
  return LaunchOverlapped(kernel, {blocks, kThreads, kBytes}, stream, gradient, input, arguments);
}

template <uint32_t kSize, uint32_t kStride>
cudaError_t LaunchColumns(uint32_t columns, const CUtensorMap& gradient, const CUtensorMap& input,
                          const Arguments& arguments, cudaStream_t stream) {
  return columns == 1 ? LaunchAs<kSize, kStride, 1>(gradient, input, arguments, stream)
                      : LaunchAs<kSize, kStride, kFilter>(gradient, input, arguments, stream);
}

}  // namespace

cudaError_t Launch(const Geometry& geometry, uint32_t columns, const CUtensorMap& gradient, const CUtensorMap& input,
                   const Arguments& arguments, cudaStream_t stream) {
  switch (geometry.stride << 8 | geometry.size) {
    case 1 << 8 | 32:
      return LaunchColumns<32, 1>(columns, gradient, input, arguments, stream);
    case 1 << 8 | 16:
      return LaunchColumns<16, 1>(columns, gradient, input, arguments, stream);
    case 1 << 8 | 8:
      return LaunchColumns<8, 1>(columns, gradient, input, arguments, stream);
    case 1 << 8 | 4:
      return LaunchColumns<4, 1>(columns, gradient, input, arguments, stream);
    case 2 << 8 | 16:
      return LaunchColumns<16, 2>(columns, gradient, input, arguments, stream);
    case 2 << 8 | 8:
      return LaunchColumns<8, 2>(columns, gradient, input, arguments, stream);
  }
  return cudaErrorInvalidValue;
}

// Launches the sum with the number of lanes that load all partials at once, up to eight.
cudaError_t LaunchSum(const Arguments& arguments, cudaStream_t stream) {
  if (arguments.splits <= kPartialsAtOnce) {
    return LaunchSumBy<1>(arguments, stream);
  }
  return arguments.splits <= 4 * kPartialsAtOnce ? LaunchSumBy<4>(arguments, stream)
                                                 : LaunchSumBy<8>(arguments, stream);
}

}  // namespace weight_gradient
}  // namespace lockstep
