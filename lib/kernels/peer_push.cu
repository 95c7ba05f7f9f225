// Stores over NVLink leave at once, so that 32 blocks fill it; the block that is done last raises the flag.
#include "lib/kernels/peer_flags.cuh"
#include "lib/kernels/peer_push.h"

namespace lockstep {
namespace {

constexpr uint32_t kThreads = 512;
constexpr uint32_t kBlocks = 32;
constexpr uint32_t kAtOnce = 4;  // packs of a thread

// `first` and `step` count the threads of all blocks.
__device__ void PushRange(const PushedRange& range, uint32_t to, size_t first, size_t step) {
  const size_t packs = range.bytes / sizeof(uint4);
  const auto* const from = static_cast<const uint4*>(range.from);
  auto* const there = static_cast<uint4*>(range.to[to]);
  for (size_t i = first; i < packs; i += step * kAtOnce) {
    uint4 pack[kAtOnce];
#pragma unroll
    for (uint32_t n = 0; n < kAtOnce; ++n) {
      pack[n] = from[min(i + n * step, packs - 1)];
    }
#pragma unroll
    for (uint32_t n = 0; n < kAtOnce; ++n) {
      if (i + n * step < packs) {
        there[i + n * step] = pack[n];
      }
    }
  }
  // The last bytes, fewer than a pack.
  const size_t last = packs * sizeof(uint4) / sizeof(uint16_t) + first;
  if (last < range.bytes / sizeof(uint16_t)) {
    static_cast<uint16_t*>(range.to[to])[last] = static_cast<const uint16_t*>(range.from)[last];
  }
}

__global__ void __launch_bounds__(kThreads) PushKernel(PeerFlags flags, uint32_t row, PeerPushInput input) {
  __shared__ bool all_done;
  const size_t first = static_cast<size_t>(blockIdx.x) * kThreads + threadIdx.x;
  for (uint32_t step = 1; step < flags.ranks; ++step) {  // to the next rank first, so that not all send to one at once
    const uint32_t to = (flags.rank + step) % flags.ranks;
    for (uint32_t r = 0; r < input.ranges; ++r) {
      PushRange(input.range[r], to, first, static_cast<size_t>(gridDim.x) * kThreads);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence_system();
    all_done = atomicAdd(input.done, 1) == gridDim.x - 1;
    if (all_done) {
      *input.done = 0;
      __threadfence_system();
    }
  }
  __syncthreads();
  if (all_done && threadIdx.x < flags.ranks && threadIdx.x != flags.rank) {
    RaiseFlag(flags, row, threadIdx.x, *flags.epoch);
  }
}

}  // namespace

cudaError_t PeerPush(const PeerFlags& flags, uint32_t row, const PeerPushInput& input, cudaStream_t stream) {
  if (!HasPeerRow(flags, row) || input.ranges > kMaxPushed) {
    return cudaErrorInvalidValue;
  }
  PushKernel<<<kBlocks, kThreads, 0, stream>>>(flags, row, input);
  return cudaGetLastError();
}

}  // namespace lockstep
