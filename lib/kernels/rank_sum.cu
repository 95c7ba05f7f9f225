// Reads each rank's elements once and writes the sum: 6 bytes per element for two ranks in bf16.
#include <algorithm>

#include "lib/kernels/rank_sum.h"

namespace lockstep {
namespace {

constexpr uint32_t kThreads = 512;
constexpr size_t kMaxBlocks = 132 * 4 * 4;  // four times what fills 132 SMs of 2,048 threads
constexpr size_t kPackBytes = 16;

// Elements that a thread loads and stores at once.
template <typename W>
struct alignas(kPackBytes) SumPack {
  static constexpr uint32_t kElements = kPackBytes / sizeof(W);
  W value[kElements];
};

// P: a W, or a SumPack of W. Each element is read before the same thread writes it.
template <typename W, typename P>
__global__ void __launch_bounds__(kThreads) SumKernel(RankSumInput<W> input) {
  constexpr uint32_t kElements = sizeof(P) / sizeof(W);
  const size_t step = static_cast<size_t>(gridDim.x) * kThreads;
  for (size_t i = static_cast<size_t>(blockIdx.x) * kThreads + threadIdx.x; i < input.count / kElements; i += step) {
    float sum[kElements];
    for (uint32_t rank = 0; rank < input.ranks; ++rank) {
      const P pack = reinterpret_cast<const P*>(input.from[rank])[i];
      const W* const value = reinterpret_cast<const W*>(&pack);
#pragma unroll
      for (uint32_t k = 0; k < kElements; ++k) {
        sum[k] = rank == 0 ? static_cast<float>(value[k]) : __fadd_rn(sum[k], static_cast<float>(value[k]));
      }
    }
    P pack;
    W* const value = reinterpret_cast<W*>(&pack);
#pragma unroll
    for (uint32_t k = 0; k < kElements; ++k) {
      value[k] = W(sum[k]);
    }
    reinterpret_cast<P*>(input.to)[i] = pack;
  }
}

bool IsAligned(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer) % kPackBytes == 0; }

template <typename W, typename P>
cudaError_t Launch(const RankSumInput<W>& input, cudaStream_t stream, uint32_t max_blocks) {
  const size_t packs = input.count * sizeof(W) / sizeof(P);
  auto blocks = static_cast<uint32_t>(std::min(kMaxBlocks, (packs + kThreads - 1) / kThreads));
  blocks = max_blocks == 0 ? blocks : std::min(blocks, max_blocks);
  if (blocks == 0) {
    return cudaSuccess;
  }
  SumKernel<W, P><<<blocks, kThreads, 0, stream>>>(input);
  return cudaGetLastError();
}

}  // namespace

template <typename W>
cudaError_t RankSum(const RankSumInput<W>& input, cudaStream_t stream, uint32_t max_blocks) {
  if (input.ranks == 0 || input.ranks > kMaxPeerRanks) {
    return cudaErrorInvalidValue;
  }
  if (!IsAligned(input.to) || !std::all_of(input.from, input.from + input.ranks, IsAligned)) {
    return Launch<W, W>(input, stream, max_blocks);
  }
  if (const cudaError_t error = Launch<W, SumPack<W>>(input, stream, max_blocks); error != cudaSuccess) {
    return error;
  }
  // Elements that do not fill a pack.
  const size_t done = input.count / SumPack<W>::kElements * SumPack<W>::kElements;
  RankSumInput<W> tail = input;
  tail.count = input.count - done;
  tail.to += done;
  for (uint32_t rank = 0; rank < input.ranks; ++rank) {
    tail.from[rank] += done;
  }
  return Launch<W, W>(tail, stream, max_blocks);
}

template cudaError_t RankSum(const RankSumInput<float>&, cudaStream_t, uint32_t);
template cudaError_t RankSum(const RankSumInput<__nv_bfloat16>&, cudaStream_t, uint32_t);

}  // namespace lockstep
