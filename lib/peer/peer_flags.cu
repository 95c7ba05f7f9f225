// One warp: a flag takes 1.5 us for the round trip between two H200.
#include "lib/peer/peer_flags.cuh"

namespace lockstep {
namespace {

constexpr uint32_t kThreads = 32;
static_assert(kMaxPeerRanks <= kThreads, "a thread for each rank");

// kBarrier: also waits for the same flag of the other ranks.
template <bool kBarrier>
__global__ void RaiseKernel(PeerFlags flags, uint32_t row, bool next_epoch) {
  const uint32_t rank = threadIdx.x;
  const uint32_t epoch = *flags.epoch;
  if (rank < flags.ranks && rank != flags.rank) {
    RaiseFlag(flags, row, rank, epoch);
    if constexpr (kBarrier) {
      AwaitFlag(flags, row, rank, epoch);
    }
  }
  __syncwarp();
  if (next_epoch && rank == 0) {
    *flags.epoch = epoch + 1;
  }
}

__global__ void AwaitKernel(PeerFlags flags, uint32_t row, uint32_t behind) {
  const uint32_t rank = threadIdx.x;
  if (rank < flags.ranks && rank != flags.rank) {
    AwaitFlag(flags, row, rank, *flags.epoch - behind);
  }
}

}  // namespace

bool HasPeerRow(const PeerFlags& flags, uint32_t row) {
  return row < kPeerFlagRows && flags.ranks <= kMaxPeerRanks && flags.rank < flags.ranks;
}

cudaError_t RaisePeerFlags(const PeerFlags& flags, uint32_t row, PeerEpoch epoch, cudaStream_t stream) {
  if (!HasPeerRow(flags, row)) {
    return cudaErrorInvalidValue;
  }
  RaiseKernel<false><<<1, kThreads, 0, stream>>>(flags, row, epoch == PeerEpoch::kNext);
  return cudaGetLastError();
}

cudaError_t AwaitPeerFlags(const PeerFlags& flags, uint32_t row, uint32_t behind, cudaStream_t stream) {
  if (!HasPeerRow(flags, row)) {
    return cudaErrorInvalidValue;
  }
  AwaitKernel<<<1, kThreads, 0, stream>>>(flags, row, behind);
  return cudaGetLastError();
}

cudaError_t PeerBarrier(const PeerFlags& flags, uint32_t row, PeerEpoch epoch, cudaStream_t stream) {
  if (!HasPeerRow(flags, row)) {
    return cudaErrorInvalidValue;
  }
  RaiseKernel<true><<<1, kThreads, 0, stream>>>(flags, row, epoch == PeerEpoch::kNext);
  return cudaGetLastError();
}

}  // namespace lockstep
