#include <algorithm>

#include "lib/peer/peer_all_reduce.h"
#include "lib/peer/peer_packet_wait.cuh"

namespace lockstep {
namespace {

constexpr uint32_t kThreads = 512;
constexpr uint32_t kMaxBlocks = 264;  // two per multiprocessor, so that all are resident at once

// If a share has more rounds than this, two shots run round by round, in a separate kernel, so that the code of the
// other kernels does not grow.
constexpr size_t kMaxPhasedRounds = 6;
constexpr uint32_t kRoundsApart = 3;  // kApart of SumInTwoShotsByRounds

// Returns the call's epoch. The last block to arrive raises the epoch for the next call, when all blocks have read it.
__device__ uint32_t BeginCall(const PeerFlags& flags, uint32_t* arrived) {
  __shared__ uint32_t epoch;
  if (threadIdx.x == 0) {
    epoch = *static_cast<const volatile uint32_t*>(flags.epoch);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    if (atomicAdd(arrived, 1) == gridDim.x - 1) {
      *arrived = 0;
      *flags.epoch = epoch + 1;
    }
  }
  return epoch;
}

// kApart: the distance of SumInTwoShotsByRounds; 0: phase by phase.
template <typename W, PacketShots kShots, uint32_t kApart = 0>
__global__ void __launch_bounds__(kThreads, 2)
    PacketKernel(const __grid_constant__ PeerFlags flags, const __grid_constant__ PacketSum<W> sum, uint32_t* arrived) {
  const uint32_t buffer = BeginCall(flags, arrived) & 1;
  const size_t first = static_cast<size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const size_t threads = static_cast<size_t>(gridDim.x) * kThreads;
  PacketWait wait(flags);
  if constexpr (kShots == PacketShots::kOne) {
    SumInOneShot(sum, buffer, first, threads, wait);
  } else if constexpr (kApart > 0) {
    SumInTwoShotsByRounds<kApart>(sum, buffer, first, threads, wait);
  } else {
    SumInTwoShots(sum, buffer, first, threads, wait);
  }
}

}  // namespace

template <typename W>
cudaError_t PeerAllReduce(const PeerAllReduceMemory& memory, PacketShots shots, const PeerAllReduceInput<W>& input,
                          cudaStream_t stream, uint32_t max_blocks) {
  if (!HasPeerRow(memory.flags, 0)) {
    return cudaErrorInvalidValue;
  }
  if (input.count == 0) {
    return cudaSuccess;
  }
  PacketSum<W> sum;
  sum.rank = memory.flags.rank;
  sum.ranks = memory.flags.ranks;
  sum.buffers = memory.buffers;
  sum.count = input.count;
  sum.from = input.from;
  sum.to = input.to;
  sum.aligned = IsPacketAligned(input.from) && IsPacketAligned(input.to);
  const bool one = shots == PacketShots::kOne;
  if (input.count > (one ? MaxInOneShot<W>(sum.buffers) : MaxInTwoShots<W>(sum.buffers, sum.ranks))) {
    return cudaErrorInvalidValue;
  }
  const size_t packets = one ? sum.packets() : sum.share();  // packets that a rank first sends to another rank
  const auto wanted = static_cast<uint32_t>(std::min<size_t>(kMaxBlocks, (packets + kThreads - 1) / kThreads));
  const uint32_t blocks = std::max(1U, max_blocks == 0 ? wanted : std::min(wanted, max_blocks));
  const bool phased = packets <= kMaxPhasedRounds * blocks * kThreads;
  const auto kernel = one      ? PacketKernel<W, PacketShots::kOne>
                      : phased ? PacketKernel<W, PacketShots::kTwo>
                               : PacketKernel<W, PacketShots::kTwo, kRoundsApart>;
  kernel<<<blocks, kThreads, 0, stream>>>(memory.flags, sum, memory.arrived);
  return cudaGetLastError();
}

template cudaError_t PeerAllReduce(const PeerAllReduceMemory&, PacketShots, const PeerAllReduceInput<float>&,
                                   cudaStream_t, uint32_t);
template cudaError_t PeerAllReduce(const PeerAllReduceMemory&, PacketShots, const PeerAllReduceInput<__nv_bfloat16>&,
                                   cudaStream_t, uint32_t);

}  // namespace lockstep
