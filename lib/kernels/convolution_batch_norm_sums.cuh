// Sums of a channel over the whole batch, from the sums of all threads of all blocks, in a fixed order.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_SUMS_CUH_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_SUMS_CUH_

#include "lib/kernels/batch_norm_finish.cuh"
#include "lib/kernels/convolution_batch_norm_block.cuh"
#include "lib/kernels/convolution_batch_norm_write.cuh"

namespace lockstep {
namespace convolution_batch_norm {

using batch_norm::Sums;

// Shares that a thread loads at once: 17 or 11 are all shares of one of 8 or 12 warps on an H200 (132 multiprocessors),
// and 8 are all of few shares. With fewer at once, a warp would wait for its loads several times.
constexpr uint32_t ManyAtOnce(uint32_t groups) { return groups == 2 ? 17 : 11; }
constexpr uint32_t kFewAtOnce = 8;
constexpr uint32_t FewShares(uint32_t groups) { return kFewAtOnce * ConsumerWarpsOf(groups); }

// Workspace: the counters, then Sums (channel_blocks, shares, 64).
struct Workspace {
  uint32_t* finished;
  Sums* partial;

  __device__ Workspace(void* memory, const Work& work)
      : finished(static_cast<uint32_t*>(memory) + work.channel_block),
        partial(reinterpret_cast<Sums*>(static_cast<char*>(memory) + kBatchNormCounterBytes) +
                size_t{work.channel_block} * work.shares * kChannels) {}
};

// Adds up one share of each kWarps shares, starting at `first`, for two channels. kAtOnce loads are issued together.
template <uint32_t kWarps, uint32_t kAtOnce>
__device__ float4 AddShares(const float4* partial, uint32_t first, uint32_t shares) {
  float4 sum = {0, 0, 0, 0};
  for (; first < shares; first += kAtOnce * kWarps) {
    float4 next[kAtOnce];
#pragma unroll
    for (uint32_t k = 0; k < kAtOnce; ++k) {
      next[k] = __ldcg(partial + min(first + k * kWarps, shares - 1) * (kChannels / 2));
    }
#pragma unroll
    for (uint32_t k = 0; k < kAtOnce; ++k) {
      if (first + k * kWarps < shares) {
        sum = {sum.x + next[k].x, sum.y + next[k].y, sum.z + next[k].z, sum.w + next[k].w};
      }
    }
  }
  return sum;
}

// Number of Sums of all warps of `groups` groups.
constexpr uint32_t SumsOfWarps(uint32_t groups) { return ConsumerWarpsOf(groups) * kChannels; }

// Returns a channel's sums over the block, in the first 64 threads, one channel each. `shared`: SumsOfWarps(kGroups)
// Sums.
template <uint32_t kGroups>
__device__ Sums AddThreads(ChannelSums& sums, Sums* shared) {
  const uint32_t warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  SyncConsumers<kGroups>();  // `shared` was the staging memory of all groups
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
  SyncConsumers<kGroups>();
  Sums sum = {0, 0};
  if (threadIdx.x < kChannels) {
    for (uint32_t w = 0; w < ConsumerWarpsOf(kGroups); ++w) {
      const Sums next = shared[w * kChannels + threadIdx.x];
      sum = {sum.a + next.a, sum.b + next.b};
    }
  }
  return sum;
}

// Returns the total of channel threadIdx.x % 64 over all warps. Each warp has added up its part, two channels per lane.
// `shared`: SumsOfWarps(kGroups) Sums.
template <uint32_t kGroups>
__device__ Sums AddWarps(const float4& of_warp, Sums* shared) {
  reinterpret_cast<float4*>(shared)[threadIdx.x] = of_warp;
  SyncConsumers<kGroups>();
  Sums total = {0, 0};
  for (uint32_t w = 0; w < ConsumerWarpsOf(kGroups); ++w) {
    const Sums next = shared[w * kChannels + threadIdx.x % kChannels];
    total = {total.a + next.a, total.b + next.b};
  }
  return total;
}

// Adds up over the grid. Returns true in the 64 threads of the last block that hold a channel's total.
template <uint32_t kGroups>
__device__ bool ReduceInLastBlock(ChannelSums& sums, const Work& work, Workspace workspace, Sums* shared, Sums& total) {
  __shared__ bool is_last;
  const Sums of_block = AddThreads<kGroups>(sums, shared);
  if (threadIdx.x < kChannels) {
    workspace.partial[work.share * kChannels + threadIdx.x] = of_block;
    __threadfence();
  }
  SyncConsumers<kGroups>();
  if (threadIdx.x == 0) {
    is_last = atomicAdd(workspace.finished, 1) == work.shares - 1;
  }
  SyncConsumers<kGroups>();
  if (!is_last) {
    return false;
  }
  __threadfence();
  if (threadIdx.x == 0) {
    *workspace.finished = 0;
  }
  const uint32_t warp = threadIdx.x / kWarp;
  const float4* const partial = reinterpret_cast<const float4*>(workspace.partial) + threadIdx.x % kWarp;
  constexpr uint32_t kWarps = ConsumerWarpsOf(kGroups);
  total = AddWarps<kGroups>(work.shares > FewShares(kGroups)
                                ? AddShares<kWarps, ManyAtOnce(kGroups)>(partial, warp, work.shares)
                                : AddShares<kWarps, kFewAtOnce>(partial, warp, work.shares),
                            shared);
  return threadIdx.x < kChannels;
}

// Counters of a LamportReduction's memory at the beginning of a launch. A block loads them before its products, because
// the load takes about as long as the block's own sums, and must do so after WaitForLaunchBefore.
struct LamportCounters {
  uint32_t turn, given_up;  // current half, and whether a launch has given up

  __device__ explicit LamportCounters(const void* memory) {
    asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];" : "=r"(turn), "=r"(given_up) : "l"(memory) : "memory");
  }
};

// Reduction over blocks that all run at once: each block writes its sums, and the others wait for the sums themselves,
// not for a counter. A word of 0 is not yet written; a sum of 0 is written as -0. Two halves of the memory alternate: a
// launch writes to one and clears the other, which the previous launch has read, for the next. Source: TensorRT-LLM's
// all-reduce with "Lamport" buffers.
//
// A block that has waited past the limit (wait_report.h) reports it. Then neither it nor any later launch with this
// memory waits again: missing sums are read as they are.
//
// Memory: three counters; from kLamportHeadBytes on the halves, each Sums (channel_blocks, shares, 64).
template <uint32_t kGroups>
class LamportReduction {
 public:
  __device__ LamportReduction(void* memory, const LamportCounters& counters, const Work& work, const WaitReport& waits)
      : counters_(static_cast<uint32_t*>(memory)), waits_(waits),
        tries_left_(counters.given_up != 0 ? 0 : kTriesWithoutClock) {
    float4* const halves = reinterpret_cast<float4*>(static_cast<char*>(memory) + kLamportHeadBytes);
    mine_ = halves + (counters.turn & 1) * kHalfVectors + size_t{work.channel_block} * work.shares * kShareVectors;
    other_ = halves + (1 - (counters.turn & 1)) * kHalfVectors;
  }

  // Writes the block's sums. Must be called by the first 64 threads.
  __device__ void Publish(const Work& work, const Sums& of_block) const {
    float2* const to = reinterpret_cast<float2*>(mine_) + work.share * kChannels + threadIdx.x;
    asm volatile("st.relaxed.gpu.global.v2.f32 [%0], {%1, %2};" ::"l"(to), "f"(NotZero(of_block.a)),
                 "f"(NotZero(of_block.b))
                 : "memory");
  }

  // Clears the other half. Must be called by all consumers; the blocks share the work.
  __device__ void ClearOther() const {
    for (uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < kHalfVectors; i += gridDim.x * kThreads) {
      other_[i] = {0, 0, 0, 0};
    }
  }

  // Waits for one share of each kWarps shares, starting at `first`, and adds them up in order; two channels per lane.
  template <uint32_t kAtOnce>
  __device__ float4 AddShares(uint32_t first, uint32_t shares) {
    const float4* const of_lane = mine_ + threadIdx.x % kWarp;
    float4 sum = {0, 0, 0, 0};
    for (; first < shares; first += kAtOnce * kWarps) {
      float4 next[kAtOnce];
      uint32_t missing = 0;
#pragma unroll
      for (uint32_t k = 0; k < kAtOnce; ++k) {
        missing |= first + k * kWarps < shares ? 1u << k : 0u;
      }
      const uint32_t all = missing;
      do {
#pragma unroll
        for (uint32_t k = 0; k < kAtOnce; ++k) {
          if (missing >> k & 1) {
            next[k] = LoadRelaxed(of_lane + (first + k * kWarps) * kShareVectors);
          }
        }
#pragma unroll
        for (uint32_t k = 0; k < kAtOnce; ++k) {
          missing &= (missing >> k & 1) && IsThere(next[k]) ? ~(1u << k) : ~0u;
        }
      } while (missing != 0 && !GivesUp());
#pragma unroll
      for (uint32_t k = 0; k < kAtOnce; ++k) {
        if (all >> k & 1) {
          sum = {sum.x + next[k].x, sum.y + next[k].y, sum.z + next[k].z, sum.w + next[k].w};
        }
      }
    }
    return sum;
  }

  // Counts this block as one that has ended its use. Must be called by one thread of each block, when all consumers of
  // the block have returned from AddShares. Returns the number of blocks counted before, for Close.
  __device__ uint32_t BeginToClose() const { return atomicAdd(counters_ + kClosed, 1); }

  // Switches the halves if this block was the last one. Must be called by the same thread, as late as possible, so that
  // the thread does not wait for the atomic operation.
  __device__ void Close(uint32_t closed_before) const {
    if (closed_before == gridDim.x - 1) {
      counters_[kClosed] = 0;
      counters_[kTurn] ^= 1;
    }
  }

 private:
  static constexpr uint32_t kThreads = ConsumersOf(kGroups), kWarps = ConsumerWarpsOf(kGroups);
  static constexpr uint32_t kTurn = 0, kGivenUp = 1, kClosed = 2;  // counters; the first two are loaded at once
  static constexpr uint32_t kShareVectors = kChannels * sizeof(Sums) / sizeof(float4);
  static constexpr uint32_t kHalfVectors = kConvolutionBatchNormMaxResidentBlocks * kShareVectors;

  __device__ bool GivesUp() {
    if (tries_left_ > 1) {
      --tries_left_;
      return false;
    }
    if (tries_left_ == 1) {
      tries_left_ = 0;
      begin_ = ClockTurns();
      return false;
    }
    if (!HasExpired(begin_)) {
      return false;
    }
    static_cast<volatile uint32_t*>(counters_)[kGivenUp] = 1;
    Report(waits_);
    return true;
  }

  __device__ static float NotZero(float value) { return value == 0 ? -0.0f : value; }
  __device__ static bool IsThere(const float4& value) {
    return __float_as_uint(value.x) != 0 && __float_as_uint(value.y) != 0 && __float_as_uint(value.z) != 0 &&
           __float_as_uint(value.w) != 0;
  }
  __device__ static float4 LoadRelaxed(const float4* from) {
    float4 value;
    asm volatile("ld.relaxed.gpu.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
                 : "l"(from)
                 : "memory");
    return value;
  }

  uint32_t* counters_;  // current half, whether a launch has given up, and number of blocks that have closed
  const WaitReport& waits_;
  uint32_t tries_left_;  // attempts before the clock is read
  uint32_t begin_ = 0;   // clock at the start of the waits; 0, which is long ago, after a launch that has given up
  float4* mine_;         // this channel block's part of the current half
  float4* other_;
};

}  // namespace convolution_batch_norm
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_SUMS_CUH_
