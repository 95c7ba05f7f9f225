// Stores over NVLink leave at once, so that 32 blocks fill it; SGD wants more.
#include <algorithm>

#include "lib/kernels/clock_mark.cuh"
#include "lib/kernels/peer_flags.cuh"
#include "lib/kernels/peer_update.h"
#include "lib/kernels/sgd_elements.cuh"

namespace lockstep {
namespace {

constexpr uint32_t kThreads = 512;
constexpr uint32_t kBlocks = 64;
constexpr uint32_t kAtOnce = 4;         // packs of a thread that sends
constexpr uint32_t kUpdatedAtOnce = 2;  // fours of a thread that updates

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

// The block that is done last raises the flag.
__device__ void PushAll(const PeerPush& push, size_t first, size_t threads) {
  __shared__ bool all_done;
  const PeerFlags& flags = push.flags;
  for (uint32_t step = 1; step < flags.ranks; ++step) {  // to the next rank first, so that not all send to one at once
    const uint32_t to = (flags.rank + step) % flags.ranks;
    for (uint32_t r = 0; r < push.ranges; ++r) {
      PushRange(push.range[r], to, first, threads);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence_system();
    all_done = atomicAdd(push.done, 1) == gridDim.x - 1;
    if (all_done) {
      *push.done = 0;
      __threadfence_system();
    }
  }
  __syncthreads();
  if (all_done && threadIdx.x < flags.ranks && threadIdx.x != flags.rank) {
    RaiseFlag(flags, push.row, threadIdx.x, *flags.epoch);
  }
}

// What SGD reads beside gradients comes to the L2 cache while the others' gradients are on their way.
template <typename G>
__device__ void Prefetch(const SgdInput<G>& input, size_t first, size_t threads) {
  constexpr size_t kLine = 128 / sizeof(float);
  for (size_t i = first * kLine; i < input.count; i += threads * kLine) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(input.parameter + i));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(input.velocity + i));
  }
}

__device__ void AwaitAll(const PeerPush& push) {
  if (threadIdx.x < push.flags.ranks && threadIdx.x != push.flags.rank) {
    AwaitFlag(push.flags, push.row, threadIdx.x, *push.flags.epoch);
  }
  __syncthreads();
}

template <typename G>
__global__ void __launch_bounds__(kThreads, 2) PeerUpdateKernel(PeerPush push, PeerUpdateInput<G> input) {
  const size_t first = static_cast<size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const size_t threads = static_cast<size_t>(gridDim.x) * kThreads;
  PushAll(push, first, threads);
  Prefetch(input.weights, first, threads);
  AwaitAll(push);
  if (first < input.arrival.columns) {
    NoteClockNow(input.arrival.step, input.arrival.column[first], input.arrival.marks);
  }
  SgdElements<G, false, true, kUpdatedAtOnce>(input.weights, first, threads);
  // By the last threads first: the first ones had the rest of the weights.
  SgdElements<float, false, true, 1>(input.norms, threads - 1 - first, threads);
}

}  // namespace

template <typename G>
cudaError_t PeerUpdate(const PeerPush& push, const PeerUpdateInput<G>& input, cudaStream_t stream,
                       uint32_t most_blocks) {
  if (!HasPeerRow(push.flags, push.row) || push.ranges > kMaxPushed || input.arrival.columns > kMaxPushed ||
      input.weights.ranks == 0 || input.norms.ranks == 0) {
    return cudaErrorInvalidValue;
  }
  int device = 0, multiprocessors = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  }
  if (error != cudaSuccess) {
    return error;
  }
  const uint32_t room = std::min(kBlocks, static_cast<uint32_t>(multiprocessors));
  PeerUpdateKernel<G><<<most_blocks == 0 ? room : std::min(room, most_blocks), kThreads, 0, stream>>>(push, input);
  return cudaGetLastError();
}

template cudaError_t PeerUpdate(const PeerPush&, const PeerUpdateInput<float>&, cudaStream_t, uint32_t);
template cudaError_t PeerUpdate(const PeerPush&, const PeerUpdateInput<__nv_bfloat16>&, cudaStream_t, uint32_t);

}  // namespace lockstep
