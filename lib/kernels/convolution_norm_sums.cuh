// The sums of a channel over the whole batch, from those of all threads of all blocks, in an order that does not
// change.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_NORM_SUMS_CUH_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_NORM_SUMS_CUH_

#include "lib/kernels/batch_norm_finish.cuh"
#include "lib/kernels/convolution_norm_block.cuh"
#include "lib/kernels/convolution_norm_write.cuh"

namespace lockstep {
namespace convolution_norm {

using batch_norm::Sums;

// Shares that a thread loads at once: of an H200's 132 that 8 warps add up, all of its own; of few, what few need.
constexpr uint32_t kManyAtOnce = 17;
constexpr uint32_t kFewAtOnce = 4;
constexpr uint32_t kFewShares = 2 * kFewAtOnce * kConsumerWarps;

// The counters, then Sums (channel_blocks, shares, 64).
struct Workspace {
  uint32_t* finished;
  uint32_t* left;  // of the upper half of the counters, which shapes with so many channel blocks that they need it are
                   // refused
  Sums* partial;

  __device__ Workspace(void* memory, const Work& work)
      : finished(static_cast<uint32_t*>(memory) + work.channel_block),
        left(finished + kBatchNormCounterBytes / sizeof(uint32_t) / 2),
        partial(reinterpret_cast<Sums*>(static_cast<char*>(memory) + kBatchNormCounterBytes) +
                size_t{work.channel_block} * work.shares * kChannels) {}
};

// Every eighth share, from `first` on, of two channels. Loads go out kAtOnce together.
template <uint32_t kAtOnce>
__device__ float4 AddShares(const float4* partial, uint32_t first, uint32_t shares) {
  float4 sum = {0, 0, 0, 0};
  for (; first < shares; first += kAtOnce * kConsumerWarps) {
    float4 next[kAtOnce];
#pragma unroll
    for (uint32_t k = 0; k < kAtOnce; ++k) {
      next[k] = __ldcg(partial + min(first + k * kConsumerWarps, shares - 1) * (kChannels / 2));
    }
#pragma unroll
    for (uint32_t k = 0; k < kAtOnce; ++k) {
      if (first + k * kConsumerWarps < shares) {
        sum = {sum.x + next[k].x, sum.y + next[k].y, sum.z + next[k].z, sum.w + next[k].w};
      }
    }
  }
  return sum;
}

// Adds the threads' sums up over the block and leaves them as its share. `shared`: room for 8 * 64 Sums.
__device__ void LeaveShare(ChannelSums& sums, const Work& work, const Workspace& workspace, Sums* shared) {
  const uint32_t warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  SyncConsumers();  // `shared` was the staging of both groups
#pragma unroll
  for (uint32_t i = 0; i < kPackChannels; ++i) {
#pragma unroll
    for (uint32_t above = kChunks; above < kWarp; above *= 2) {
      sums.a[i] += __shfl_xor_sync(0xFFFFFFFFu, sums.a[i], above);
      sums.b[i] += __shfl_xor_sync(0xFFFFFFFFu, sums.b[i], above);
    }
    if (lane < kChunks) {
      shared[warp * kChannels + lane * kPackChannels + i] = {sums.a[i], sums.b[i]};
    }
  }
  SyncConsumers();
  if (threadIdx.x < kChannels) {
    Sums sum = {0, 0};
    for (uint32_t w = 0; w < kConsumerWarps; ++w) {
      const Sums next = shared[w * kChannels + threadIdx.x];
      sum = {sum.a + next.a, sum.b + next.b};
    }
    workspace.partial[work.share * kChannels + threadIdx.x] = sum;
  }
}

// Of all shares, in the threads below 64 a channel's total.
__device__ Sums AddAllShares(const Work& work, const Workspace& workspace, Sums* shared) {
  const uint32_t warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  const float4* const partial = reinterpret_cast<const float4*>(workspace.partial) + lane;
  reinterpret_cast<float4*>(shared)[warp * kWarp + lane] = work.shares > kFewShares
                                                               ? AddShares<kManyAtOnce>(partial, warp, work.shares)
                                                               : AddShares<kFewAtOnce>(partial, warp, work.shares);
  SyncConsumers();
  Sums total = {0, 0};
  for (uint32_t w = 0; w < kConsumerWarps; ++w) {
    const Sums next = shared[w * kChannels + threadIdx.x % kChannels];
    total = {total.a + next.a, total.b + next.b};
  }
  return total;
}

// Adds up over the grid. True in the 64 threads of the last block that hold a channel's total.
__device__ bool ReduceInLastBlock(ChannelSums& sums, const Work& work, Workspace workspace, Sums* shared, Sums& total) {
  __shared__ bool is_last;
  LeaveShare(sums, work, workspace, shared);
  if (threadIdx.x < kChannels) {
    __threadfence();
  }
  SyncConsumers();
  if (threadIdx.x == 0) {
    is_last = atomicAdd(workspace.finished, 1) == work.shares - 1;
  }
  SyncConsumers();
  if (!is_last) {
    return false;
  }
  __threadfence();
  if (threadIdx.x == 0) {
    *workspace.finished = 0;
  }
  total = AddAllShares(work, workspace, shared);
  return threadIdx.x < kChannels;
}

// Until all blocks of the channel block have come here, with what they have written before. They must all run at once.
__device__ inline void WaitForAllShares(const Work& work, const Workspace& workspace) {
  SyncConsumers();
  if (threadIdx.x == 0) {
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(workspace.finished) : "memory");
    uint32_t seen;
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(workspace.finished) : "memory");
    } while (seen < work.shares);
  }
  SyncConsumers();
}

// After that, by one thread of each block: the last one leaves the counters as they were.
__device__ inline void LeaveCounters(const Work& work, const Workspace& workspace) {
  if (atomicAdd(workspace.left, 1) == work.shares - 1) {
    *workspace.finished = 0;
    *workspace.left = 0;
  }
}

}  // namespace convolution_norm
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_NORM_SUMS_CUH_
