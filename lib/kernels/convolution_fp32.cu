// A 3x3 convolution in fp32 as a matrix product without tensor cores. The left operand, the neighbourhoods of the
// pixels, is never materialized: a step of the product is one tap of the filter and kStepDepth channels. The copy of a
// pixel's channels begins at the tap's neighbour, or consists of zeros if the tap lies outside the image.
//
// A thread holds 8 x 8 sums. It reads the values of its 8 pixels 4 channels at a time, which is their order in memory,
// so that they can be copied to shared memory unchanged (cp.async). Lines of shared memory are 20 words apart, which
// puts 8 neighbouring lines into different banks. Therefore a thread's pixels are 16 lines apart, and its columns
// (forward) 8 lines apart.
//
// Small batches give few tiles. Then the blocks of a cluster share the depth of one tile, and each block adds up some
// of the tile's pixels from the shared memory of all blocks, in the order of the blocks, so that the same input gives
// the same bits.
#include <cooperative_groups.h>

#include "lib/kernels/convolution_fp32_kernel.h"

namespace lockstep {
namespace convolution_fp32 {
namespace {

namespace cg = cooperative_groups;

constexpr uint32_t kTaps = 9;
constexpr uint32_t kFilter = 3;
constexpr uint32_t kVector = 4;                   // words of a copy
constexpr uint32_t kSide = 8;                     // side of a thread's square of sums
constexpr uint32_t kLine = kStepDepth + kVector;  // words from one line to the next
constexpr uint32_t kLineVectors = kStepDepth / kVector;
// Steps in shared memory. With 5, two blocks of 64 columns fit on a multiprocessor, but not a third, with which the
// work would take longer than with two.
constexpr uint32_t kStages = 5;

// Threads and shared memory of a block whose tile has `kColumns` columns.
template <uint32_t kColumns, bool kDataGradient>
struct Tile {
  static constexpr uint32_t kThreads = kTileRows / kSide * (kColumns / kSide);
  static constexpr uint32_t kInputWords = kTileRows * kLine;
  static constexpr uint32_t kWeightWords = kDataGradient ? kStepDepth * kColumns : kColumns * kLine;
  static constexpr uint32_t kStageWords = kInputWords + kWeightWords;
  static constexpr uint32_t kOutLine = kColumns + kVector;
  static constexpr uint32_t kBytes = kStages * kStageWords * sizeof(float);
  static_assert(kTileRows * kOutLine <= kStages * kStageWords, "the sums take the stages' place");
};

// Copies 16 bytes, or writes zeros in their place.
__device__ inline void CopyOrClear(float* to, const float* from, bool copy) {
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(to))),
      "l"(from), "r"(copy ? 16 : 0)
      : "memory");
}
__device__ inline void EndStage() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <uint32_t kOpen>
__device__ inline void WaitForAllBut() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kOpen) : "memory");
}

// Sources of a thread's input copies: the neighbour of each of its pixels at tap 0, and the taps that lie inside the
// image.
template <uint32_t kCount>
struct InputLines {
  int32_t first[kCount];
  uint32_t inside[kCount];  // one bit per tap

  __device__ InputLines(const Arguments& arguments, uint32_t row, uint32_t rows_apart, uint32_t channel) {
    const uint32_t area = arguments.out_size * arguments.out_size;
    const auto size = static_cast<int32_t>(arguments.in_size);
    for (uint32_t i = 0; i < kCount; ++i) {
      const uint32_t pixel = row + i * rows_apart, in_image = pixel % area;
      const auto y = static_cast<int32_t>(in_image / arguments.out_size * arguments.stride) - 1;
      const auto x = static_cast<int32_t>(in_image % arguments.out_size * arguments.stride) - 1;
      first[i] = ((static_cast<int32_t>(pixel / area) * size + y) * size + x) * static_cast<int32_t>(arguments.depth) +
                 static_cast<int32_t>(channel);
      inside[i] = 0;
      for (int32_t tap = 0; tap < static_cast<int32_t>(kTaps) && pixel < arguments.pixels; ++tap) {
        const int32_t at_y = y + tap / static_cast<int32_t>(kFilter), at_x = x + tap % static_cast<int32_t>(kFilter);
        inside[i] |= (at_y >= 0 && at_y < size && at_x >= 0 && at_x < size ? 1u : 0u) << tap;
      }
    }
  }
};

// Copies of a block, step after step.
template <uint32_t kColumns, bool kDataGradient>
class Loader {
  using Shape = Tile<kColumns, kDataGradient>;
  static constexpr uint32_t kLinesApart = Shape::kThreads / kLineVectors;
  static constexpr uint32_t kInputCopies = kTileRows / kLinesApart;
  static constexpr uint32_t kWeightCopies = kColumns * kLineVectors / Shape::kThreads;
  static constexpr uint32_t kRowVectors = kColumns / kVector;  // vectors per row of the weights of a data gradient
  static constexpr uint32_t kRowsApart = Shape::kThreads / kRowVectors;

 public:
  __device__ Loader(const Arguments& arguments, uint32_t first_row, uint32_t first_column, uint32_t step)
      : arguments_(arguments), line_(threadIdx.x / kLineVectors), channel_(threadIdx.x % kLineVectors * kVector),
        lines_(arguments, first_row + line_, kLinesApart, channel_), first_column_(first_column),
        tap_(step / (arguments.depth / kStepDepth)), depth_(step % (arguments.depth / kStepDepth) * kStepDepth) {}

  // Copies the next step into a stage.
  __device__ void Copy(float* stage) {
    const auto tap_offset =
        static_cast<int32_t>((tap_ / kFilter * arguments_.in_size + tap_ % kFilter) * arguments_.depth + depth_);
#pragma unroll
    for (uint32_t i = 0; i < kInputCopies; ++i) {
      const bool inside = lines_.inside[i] >> tap_ & 1;
      CopyOrClear(stage + (line_ + i * kLinesApart) * kLine + channel_,
                  arguments_.input + (inside ? lines_.first[i] + tap_offset : 0), inside);
    }
    CopyWeights(stage + Shape::kInputWords);
    depth_ += kStepDepth;
    if (depth_ == arguments_.depth) {
      depth_ = 0;
      ++tap_;
    }
  }

 private:
  __device__ void CopyWeights(float* to) const {
#pragma unroll
    for (uint32_t i = 0; i < kWeightCopies; ++i) {
      if (kDataGradient) {
        const uint32_t row = threadIdx.x / kRowVectors + i * kRowsApart, column = threadIdx.x % kRowVectors * kVector;
        CopyOrClear(to + row * kColumns + column,
                    arguments_.weights + ((depth_ + row) * kTaps + kTaps - 1 - tap_) * arguments_.columns +
                        first_column_ + column,
                    true);
      } else {
        const uint32_t column = line_ + i * kLinesApart;
        CopyOrClear(
            to + column * kLine + channel_,
            arguments_.weights + ((first_column_ + column) * kTaps + tap_) * arguments_.depth + depth_ + channel_,
            true);
      }
    }
  }

  const Arguments& arguments_;
  const uint32_t line_, channel_;
  const InputLines<kInputCopies> lines_;
  const uint32_t first_column_;
  uint32_t tap_, depth_;  // position of the next step
};

__device__ inline float At(const float4& vector, uint32_t i) {
  return i == 0 ? vector.x : i == 1 ? vector.y : i == 2 ? vector.z : vector.w;
}

// Sums of a thread. Their pixels are row + 16 i. Their columns are column + kColumns / 8 * j forward; for a data
// gradient, 4 column + j % 4 of the left half (j < 4) and of the right half.
template <uint32_t kColumns, bool kDataGradient>
struct Sums {
  using Shape = Tile<kColumns, kDataGradient>;
  static constexpr uint32_t kColumnThreads = kColumns / kSide;
  static constexpr uint32_t kRowThreads = kTileRows / kSide;

  float sum[kSide][kSide] = {};
  // A warp is 8 rows of 4 threads; 8 consecutive threads are 2 rows of 4 and thus read 2 and 4 different vectors. With
  // rows of 8 threads, shared memory would be busy 50 % longer (7.1 instead of 4.8 million wavefronts at 64 -> 64, 32
  // images).
  static constexpr uint32_t kWarpRows = 8, kWarpColumns = 4;
  const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t row = warp / (kColumnThreads / kWarpColumns) * kWarpRows + lane / 8 * 2 + lane % 2;
  const uint32_t column = warp % (kColumnThreads / kWarpColumns) * kWarpColumns + lane / 2 % kWarpColumns;

  __device__ uint32_t ColumnOf(uint32_t j) const {
    return kDataGradient ? j / kVector * (kColumns / 2) + column * kVector + j % kVector : column + j * kColumnThreads;
  }

  __device__ void Multiply(const float* stage) {
    const float* const weights = stage + Shape::kInputWords;
#pragma unroll
    for (uint32_t channel = 0; channel < kStepDepth; channel += kVector) {
      float4 left[kSide];
#pragma unroll
      for (uint32_t i = 0; i < kSide; ++i) {
        left[i] = *reinterpret_cast<const float4*>(stage + (row + i * kRowThreads) * kLine + channel);
      }
      float4 right[kSide];  // forward: by channel, for a column; data gradient: by column, for a channel and a half
#pragma unroll
      for (uint32_t j = 0; j < kSide; ++j) {
        right[j] = *reinterpret_cast<const float4*>(
            kDataGradient ? weights + (channel + j / 2) * kColumns + j % 2 * (kColumns / 2) + column * kVector
                          : weights + (column + j * kColumnThreads) * kLine + channel);
      }
#pragma unroll
      for (uint32_t k = 0; k < kVector; ++k) {
#pragma unroll
        for (uint32_t i = 0; i < kSide; ++i) {
#pragma unroll
          for (uint32_t j = 0; j < kSide; ++j) {
            const float factor = kDataGradient ? At(right[2 * k + j / kVector], j % kVector) : At(right[j], k);
            sum[i][j] = fmaf(At(left[i], k), factor, sum[i][j]);
          }
        }
      }
    }
  }

  __device__ void Write(float* tile) const {
#pragma unroll
    for (uint32_t i = 0; i < kSide; ++i) {
#pragma unroll
      for (uint32_t j = 0; j < kSide; ++j) {
        tile[(row + i * kRowThreads) * Shape::kOutLine + ColumnOf(j)] = sum[i][j];
      }
    }
  }
};

__device__ inline float4 Add(const float4& a, const float4& b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }

// Adds up this block's share of the tile's pixels over the cluster's blocks, in their order, and stores the sums.
template <uint32_t kColumns, bool kDataGradient>
__device__ void AddUpAndStore(const Arguments& arguments, float* tile, uint32_t first_row, uint32_t first_column) {
  using Shape = Tile<kColumns, kDataGradient>;
  const cg::cluster_group cluster = cg::this_cluster();
  const uint32_t splits = cluster.num_blocks(), rows = kTileRows / splits, begin = cluster.block_rank() * rows;
  for (uint32_t i = threadIdx.x; i < rows * (kColumns / kVector); i += Shape::kThreads) {
    const uint32_t row = begin + i / (kColumns / kVector), column = i % (kColumns / kVector) * kVector;
    float* const at = tile + row * Shape::kOutLine + column;
    float4 sum = *reinterpret_cast<const float4*>(cluster.map_shared_rank(at, 0));
    for (uint32_t split = 1; split < splits; ++split) {
      sum = Add(sum, *reinterpret_cast<const float4*>(cluster.map_shared_rank(at, split)));
    }
    if (first_row + row < arguments.pixels) {
      *reinterpret_cast<float4*>(arguments.out + size_t{first_row + row} * arguments.columns + first_column + column) =
          sum;
    }
  }
}

// Two blocks of 64 columns per multiprocessor, or one of 128.
template <uint32_t kColumns, bool kDataGradient>
__global__ void __launch_bounds__((Tile<kColumns, kDataGradient>::kThreads),
                                  256 / Tile<kColumns, kDataGradient>::kThreads)
    ConvolutionFp32Kernel(const Arguments arguments) {
#ifndef LOCKSTEP_CODE_LEFT_OUT
  using Shape = Tile<kColumns, kDataGradient>;
  extern __shared__ __align__(16) float shared[];
  const cg::cluster_group cluster = cg::this_cluster();
  const uint32_t splits = cluster.num_blocks(), steps = kTaps * (arguments.depth / kStepDepth);
  const uint32_t begin = steps * cluster.block_rank() / splits, end = steps * (cluster.block_rank() + 1) / splits;
  const uint32_t first_row = blockIdx.x / splits * kTileRows, first_column = blockIdx.y * kColumns;
  Loader<kColumns, kDataGradient> loader(arguments, first_row, first_column, begin);
  for (uint32_t stage = 0; stage < kStages - 1; ++stage) {
    if (begin + stage < end) {
      loader.Copy(shared + stage * Shape::kStageWords);
    }
    EndStage();
  }
  Sums<kColumns, kDataGradient> sums;
  uint32_t stage = 0, next = kStages - 1;
  for (uint32_t step = begin; step < end; ++step) {
    WaitForAllBut<kStages - 2>();
    __syncthreads();  // all copies of this stage have arrived, and no thread still reads the stage before it
    if (step + kStages - 1 < end) {
      loader.Copy(shared + next * Shape::kStageWords);
    }
    EndStage();
    sums.Multiply(shared + stage * Shape::kStageWords);
    stage = stage + 1 == kStages ? 0 : stage + 1;
    next = next + 1 == kStages ? 0 : next + 1;
  }
  __syncthreads();
  sums.Write(shared);
  cluster.sync();
  AddUpAndStore<kColumns, kDataGradient>(arguments, shared, first_row, first_column);
  cluster.sync();  // shared memory must stay valid while other blocks read it
#endif
}

template <uint32_t kColumns, bool kDataGradient>
cudaError_t LaunchAs(const Arguments& arguments, uint32_t splits, cudaStream_t stream) {
  using Shape = Tile<kColumns, kDataGradient>;
  const auto kernel = ConvolutionFp32Kernel<kColumns, kDataGradient>;
  const cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Shape::kBytes);
  if (error != cudaSuccess) {
    return error;
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = {(arguments.pixels + kTileRows - 1) / kTileRows * splits, arguments.columns / kColumns, 1};
  config.blockDim = {Shape::kThreads, 1, 1};
  config.dynamicSmemBytes = Shape::kBytes;
  config.stream = stream;
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {splits, 1, 1};
  config.attrs = &cluster;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, arguments);
}

}  // namespace

cudaError_t Launch(const Arguments& arguments, bool data_gradient, uint32_t tile_columns, uint32_t splits,
                   cudaStream_t stream) {
  if (tile_columns == 64) {
    return data_gradient ? LaunchAs<64, true>(arguments, splits, stream)
                         : LaunchAs<64, false>(arguments, splits, stream);
  }
  if (tile_columns == 128) {
    return data_gradient ? LaunchAs<128, true>(arguments, splits, stream)
                         : LaunchAs<128, false>(arguments, splits, stream);
  }
  return cudaErrorInvalidValue;
}

}  // namespace convolution_fp32
}  // namespace lockstep
