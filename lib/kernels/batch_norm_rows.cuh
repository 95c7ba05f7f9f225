// Shared parts of the batch norm kernels: the assignment of rows and channels to threads, and the sums over all rows.
//
// A block owns 64 channels and a share of the rows. Its threads form a matrix: each row of 8 threads holds 8 channels
// per thread (16 bytes in bf16). A thread's channels never change, so its coefficients stay in registers.
#ifndef LOCKSTEP_LIB_KERNELS_BATCH_NORM_ROWS_CUH_
#define LOCKSTEP_LIB_KERNELS_BATCH_NORM_ROWS_CUH_

#include "lib/cuda/cache_policy.cuh"
#include "lib/kernels/batch_norm.h"
#include "lib/kernels/batch_norm_finish.cuh"
#include "lib/kernels/pack.cuh"

namespace lockstep {
namespace batch_norm {

constexpr uint32_t kVector = kPackChannels;                // channels per thread
constexpr uint32_t kLanes = kBatchNormChannels / kVector;  // threads in a row
constexpr uint32_t kWarp = 32;

// Dimensions of the reducing kernels.
constexpr uint32_t kThreads = 512;
constexpr uint32_t kWarps = kThreads / kWarp;
constexpr uint32_t kRowsAtOnce = kThreads / kLanes;         // 64
constexpr uint32_t kParts = kThreads / kBatchNormChannels;  // parts of the sum over blocks, one per thread: 8
constexpr uint32_t kBlocksAtOnce = 17;                      // blocks of a part whose sums are loaded at once

// Loads eight consecutive floats.
__device__ inline void LoadChannels(const float* from, float (&to)[kVector]) {
#pragma unroll
  for (uint32_t i = 0; i < kVector; ++i) {
    to[i] = from[i];
  }
}

// Position of a thread of a reducing kernel: its first channel, and its rows first_row, first_row + row_step, ...
struct Place {
  uint32_t channel;
  uint32_t first_row;
  uint32_t row_step;

  __device__ Place()
      : channel(blockIdx.y * kBatchNormChannels + threadIdx.x % kLanes * kVector),
        first_row(blockIdx.x * kRowsAtOnce + threadIdx.x / kLanes), row_step(gridDim.x * kRowsAtOnce) {}

  __device__ size_t At(const BatchNormShape& shape, uint32_t row) const {
    return static_cast<size_t>(row) * shape.channels + channel;
  }
};

// Returns `row`, or the last row if `row` is beyond it. Loads then need no branch, so all loads of a thread are issued
// together.
__device__ inline uint32_t Within(const BatchNormShape& shape, uint32_t row) { return min(row, shape.rows - 1); }

// Workspace: the counters, then Sums (channel_blocks, row_blocks, 64).
struct Workspace {
  uint32_t* finished;
  Sums* partial;

  __device__ explicit Workspace(void* memory)
      : finished(static_cast<uint32_t*>(memory)),
        partial(reinterpret_cast<Sums*>(static_cast<char*>(memory) + kBatchNormCounterBytes)) {}

  __device__ Sums& At(uint32_t row_block, uint32_t channel) {
    return partial[(blockIdx.y * gridDim.x + row_block) * kBatchNormChannels + channel];
  }
};

using PartSums = Sums[kWarps][kBatchNormChannels];

// Adds up the threads' sums over the block and writes them to the workspace. They are visible to the whole grid once
// the block has passed a barrier. Fixed order: the rows of a warp, then the warps by number.
__device__ inline void LeaveBlockSums(float (&a)[kVector], float (&b)[kVector], PartSums& of_warp,
                                      Workspace& workspace) {
  const uint32_t warp = threadIdx.x / kWarp;
  const uint32_t lane = threadIdx.x % kWarp;
#pragma unroll
  for (uint32_t i = 0; i < kVector; ++i) {
#pragma unroll
    for (uint32_t rows = kLanes; rows < kWarp; rows *= 2) {
      a[i] += __shfl_xor_sync(0xFFFFFFFFu, a[i], rows);
      b[i] += __shfl_xor_sync(0xFFFFFFFFu, b[i], rows);
    }
    if (lane < kLanes) {
      of_warp[warp][lane * kVector + i] = {a[i], b[i]};
    }
  }
  __syncthreads();
  if (threadIdx.x < kBatchNormChannels) {
    Sums sum = of_warp[0][threadIdx.x];
#pragma unroll
    for (uint32_t i = 1; i < kWarps; ++i) {
      const Sums next = of_warp[i][threadIdx.x];
      sum = {sum.a + next.a, sum.b + next.b};
    }
    workspace.At(blockIdx.x, threadIdx.x) = sum;
    __threadfence();
  }
  __syncthreads();
}

// Returns, in the first 64 threads, the total over all blocks of channel threadIdx.x: eight threads per channel add up
// every eighth block, then one of them adds up the eight sums.
__device__ inline Sums AddBlockSums(PartSums& of_part, Workspace& workspace) {
  const uint32_t channel = threadIdx.x % kBatchNormChannels;
  const uint32_t part = threadIdx.x / kBatchNormChannels;
  Sums sum = {0, 0};
  for (uint32_t first = part; first < gridDim.x; first += kBlocksAtOnce * kParts) {
    float2 partial[kBlocksAtOnce];
#pragma unroll
    for (uint32_t k = 0; k < kBlocksAtOnce; ++k) {  // all loads are issued before the first is waited for
      partial[k] =
          __ldcg(reinterpret_cast<const float2*>(&workspace.At(min(first + k * kParts, gridDim.x - 1), channel)));
    }
#pragma unroll
    for (uint32_t k = 0; k < kBlocksAtOnce; ++k) {
      if (first + k * kParts < gridDim.x) {
        sum = {sum.a + partial[k].x, sum.b + partial[k].y};
      }
    }
  }
  of_part[part][channel] = sum;
  __syncthreads();
  for (uint32_t i = 1; i < kParts; ++i) {
    sum = {sum.a + of_part[i][channel].a, sum.b + of_part[i][channel].b};
  }
  return sum;  // complete if part is 0
}

// Adds up over the grid. Returns true in the 64 threads of the last block that hold a channel's total.
__device__ inline bool ReduceInLastBlock(float (&a)[kVector], float (&b)[kVector], Workspace workspace, Sums& total) {
  __shared__ PartSums sums;
  __shared__ bool is_last;
  LeaveBlockSums(a, b, sums, workspace);
  if (threadIdx.x == 0) {
    is_last = atomicAdd(&workspace.finished[blockIdx.y], 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) {
    return false;
  }
  __threadfence();
  if (threadIdx.x == 0) {
    workspace.finished[blockIdx.y] = 0;
  }
  total = AddBlockSums(sums, workspace);
  return threadIdx.x < kBatchNormChannels;
}

// Loads a pack that no other kernel reads soon.
template <typename T>
__device__ Pack<T> LoadPackOnce(const T* from) {
  return LoadEvictFirst(reinterpret_cast<const Pack<T>*>(from));
}

// Eight channels of a row in the forward pass. Apply writes y and its mask. x and the residual are not read again
// before the backward pass.
template <typename T, bool kResidual>
struct ForwardRow {
  Pack<T> x;
  Pack<T> added;

  __device__ void Load(const T* of_x, const BatchNormResidual<T>& residual, size_t at) {
    x = LoadPackOnce(of_x + at);
    if (kResidual) {
      added = LoadPackOnce(residual.residual + at);
    }
  }

  // on_residual is only read if kResidual.
  __device__ void Apply(const float (&on_x)[kVector], const float (&constant)[kVector],
                        const float (&on_residual)[kVector], size_t at, T* y, uint8_t* relu_mask) const {
    float value[kVector];
    uint32_t mask = 0;
#pragma unroll
    for (uint32_t i = 0; i < kVector; ++i) {
      value[i] = on_x[i] * static_cast<float>(x.value[i]) + constant[i];
      if (kResidual) {
        value[i] += on_residual[i] * static_cast<float>(added.value[i]);
      }
      if (relu_mask != nullptr) {
        mask |= value[i] > 0 ? 1u << i : 0u;
        value[i] = fmaxf(value[i], 0.0f);
      }
    }
    if (relu_mask != nullptr) {
      relu_mask[at / kVector] = static_cast<uint8_t>(mask);
    }
    Store(value, y + at);
  }
};

// Inputs of the backward kernels for eight channels of a row.
template <typename T, bool kTwo>
struct BackwardRow {
  Pack<T> x;
  Pack<T> dy;
  Pack<T> dy2;
  uint32_t mask;

  __device__ void Load(const T* of_x, const BatchNormUpstream<T>& upstream, size_t at) {
    x = LoadPack(of_x + at);
    dy = LoadPack(upstream.dy + at);
    if (kTwo) {
      dy2 = LoadPack(upstream.dy2 + at);
    }
    LoadMask(upstream, at);
  }

  // Loads the same values for a kernel after which dy and dy2 are not read soon. dx may replace x.
  __device__ void LoadLast(const T* of_x, const BatchNormUpstream<T>& upstream, size_t at) {
    x = LoadPack(of_x + at);
    dy = LoadPackOnce(upstream.dy + at);
    if (kTwo) {
      dy2 = LoadPackOnce(upstream.dy2 + at);
    }
    LoadMask(upstream, at);
  }

  __device__ void LoadMask(const BatchNormUpstream<T>& upstream, size_t at) {
    mask = upstream.relu_mask != nullptr ? upstream.relu_mask[at / kVector] : 255u;
  }

  // Returns the gradient before the ReLU.
  __device__ float Gradient(uint32_t i) const {
    const float sum = static_cast<float>(dy.value[i]) + (kTwo ? static_cast<float>(dy2.value[i]) : 0.0f);
    return (mask >> i & 1u) != 0 ? sum : 0.0f;
  }

  __device__ void Apply(const float (&on_g)[kVector], const float (&on_x)[kVector], const float (&constant)[kVector],
                        size_t at, T* dx, T* dresidual) const {
    float value[kVector], g[kVector];
#pragma unroll
    for (uint32_t i = 0; i < kVector; ++i) {
      g[i] = Gradient(i);
      value[i] = on_g[i] * g[i] + on_x[i] * static_cast<float>(x.value[i]) + constant[i];
    }
    if (dresidual != nullptr) {
      Store(g, dresidual + at);
    }
    Store(value, dx + at);
  }
};

inline bool Fits(const BatchNormShape& shape) {
  return shape.rows >= 2 && shape.channels >= kBatchNormChannels && shape.channels % kBatchNormChannels == 0 &&
         shape.channels <= kMaxBatchNormChannels;
}

}  // namespace batch_norm
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_BATCH_NORM_ROWS_CUH_
