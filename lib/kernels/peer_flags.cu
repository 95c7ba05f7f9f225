// One warp: a flag there and back takes 1.5 us between two H200.
#include "lib/kernels/peer_flags.h"

namespace lockstep {
namespace {

constexpr uint32_t kThreads = 32;
static_assert(kMaxPeerRanks <= kThreads, "a thread for each rank");

__device__ void StoreRelease(uint32_t* flag, uint32_t value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

__device__ uint32_t LoadAcquire(const uint32_t* flag) {
  uint32_t value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

__device__ uint32_t ReportedBefore(const WaitReport& report) {
  const volatile uint32_t* const expired = report.expired;
  return expired != nullptr ? *expired : 0;
}

__global__ void RaiseKernel(PeerFlags flags, uint32_t row, bool next_epoch) {
  const uint32_t rank = threadIdx.x;
  const uint32_t epoch = *flags.epoch;
  if (rank < flags.ranks && rank != flags.rank) {
    __threadfence_system();  // what copies and earlier kernels wrote comes before the flag
    StoreRelease(flags.flags[rank] + row * kMaxPeerRanks + flags.rank, epoch);
  }
  __syncwarp();
  if (next_epoch && rank == 0) {
    *flags.epoch = epoch + 1;
  }
}

__global__ void AwaitKernel(PeerFlags flags, uint32_t row, uint32_t behind) {
  const uint32_t rank = threadIdx.x;
  if (rank >= flags.ranks || rank == flags.rank) {
    return;
  }
  const uint32_t wanted = *flags.epoch - behind;
  const uint32_t* const flag = flags.flags[flags.rank] + row * kMaxPeerRanks + rank;
  const uint32_t begin = ClockTurns();
  for (uint32_t tries = 1; static_cast<int32_t>(LoadAcquire(flag) - wanted) < 0; ++tries) {
    if (tries % kTriesWithoutClock != 0) {
      continue;
    }
    if (ReportedBefore(flags.report[rank]) != 0) {
      return;
    }
    if (ClockTurns() - begin > flags.max_clock_turns) {
      Report(flags.report[rank]);
      return;
    }
  }
}

bool IsThere(const PeerFlags& flags, uint32_t row) {
  return row < kPeerFlagRows && flags.ranks <= kMaxPeerRanks && flags.rank < flags.ranks;
}

}  // namespace

cudaError_t RaisePeerFlags(const PeerFlags& flags, uint32_t row, bool next_epoch, cudaStream_t stream) {
  if (!IsThere(flags, row)) {
    return cudaErrorInvalidValue;
  }
  RaiseKernel<<<1, kThreads, 0, stream>>>(flags, row, next_epoch);
  return cudaGetLastError();
}

cudaError_t AwaitPeerFlags(const PeerFlags& flags, uint32_t row, uint32_t behind, cudaStream_t stream) {
  if (!IsThere(flags, row)) {
    return cudaErrorInvalidValue;
  }
  AwaitKernel<<<1, kThreads, 0, stream>>>(flags, row, behind);
  return cudaGetLastError();
}

}  // namespace lockstep
