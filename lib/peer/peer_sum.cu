#include "lib/peer/peer_flags.cuh"
#include "lib/peer/peer_sum.h"

namespace lockstep {
namespace {

constexpr uint32_t kThreads = 1024;
constexpr size_t kPackBytes = 16;

template <typename W>
struct alignas(kPackBytes) SumPack {
  static constexpr uint32_t kElements = kPackBytes / sizeof(W);
  W value[kElements];
};

// Loads received data past the L1, which may hold the last step's data.
template <typename W>
__device__ SumPack<W> LoadReceived(const SumPack<W>* from) {
  const uint4 words = __ldcg(reinterpret_cast<const uint4*>(from));
  return *reinterpret_cast<const SumPack<W>*>(&words);
}

// Processes whole packs, then the last elements, of which there are fewer than threads.
template <typename W>
__global__ void __launch_bounds__(kThreads) PeerSumKernel(PeerFlags flags, uint32_t row, PeerSumInput<W> input) {
  using P = SumPack<W>;
  const size_t packs = input.count / P::kElements;
  const size_t tail = packs * P::kElements + threadIdx.x;  // index of one element per thread
  for (uint32_t other = 0; other < flags.ranks; ++other) {
    if (other == flags.rank) {
      continue;
    }
    for (size_t i = threadIdx.x; i < packs; i += kThreads) {
      reinterpret_cast<P*>(input.sent[other])[i] = reinterpret_cast<const P*>(input.data)[i];
    }
    if (tail < input.count) {
      input.sent[other][tail] = input.data[tail];
    }
  }
  __syncthreads();
  const uint32_t epoch = *flags.epoch;
  if (threadIdx.x < flags.ranks && threadIdx.x != flags.rank) {
    RaiseFlag(flags, row, threadIdx.x, epoch);
    AwaitFlag(flags, row, threadIdx.x, epoch);
  }
  __syncthreads();
  for (size_t i = threadIdx.x; i < packs; i += kThreads) {
    float sum[P::kElements];
    for (uint32_t rank = 0; rank < flags.ranks; ++rank) {
      const P pack = rank == flags.rank ? reinterpret_cast<const P*>(input.data)[i]
                                        : LoadReceived(reinterpret_cast<const P*>(input.received[rank]) + i);
#pragma unroll
      for (uint32_t k = 0; k < P::kElements; ++k) {
        const auto value = static_cast<float>(pack.value[k]);
        sum[k] = rank == 0 ? value : __fadd_rn(sum[k], value);
      }
    }
    P pack;
#pragma unroll
    for (uint32_t k = 0; k < P::kElements; ++k) {
      pack.value[k] = W(sum[k]);
    }
    reinterpret_cast<P*>(input.data)[i] = pack;
  }
  if (tail < input.count) {
    float sum = 0;
    for (uint32_t rank = 0; rank < flags.ranks; ++rank) {
      const auto value =
          static_cast<float>(rank == flags.rank ? input.data[tail] : __ldcg(input.received[rank] + tail));
      sum = rank == 0 ? value : __fadd_rn(sum, value);
    }
    input.data[tail] = W(sum);
  }
}

}  // namespace

template <typename W>
cudaError_t PeerSum(const PeerFlags& flags, uint32_t row, const PeerSumInput<W>& input, cudaStream_t stream) {
  if (!HasPeerRow(flags, row)) {
    return cudaErrorInvalidValue;
  }
  PeerSumKernel<<<1, kThreads, 0, stream>>>(flags, row, input);
  return cudaGetLastError();
}

template cudaError_t PeerSum(const PeerFlags&, uint32_t, const PeerSumInput<float>&, cudaStream_t);
template cudaError_t PeerSum(const PeerFlags&, uint32_t, const PeerSumInput<__nv_bfloat16>&, cudaStream_t);

}  // namespace lockstep
