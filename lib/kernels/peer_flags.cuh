// What kernels do with the flags of peer_flags.h.
#ifndef LOCKSTEP_LIB_KERNELS_PEER_FLAGS_CUH_
#define LOCKSTEP_LIB_KERNELS_PEER_FLAGS_CUH_

#include <cstdint>

#include "lib/kernels/peer_flags.h"

namespace lockstep {

// Called by one thread. All that its block wrote before a __syncthreads comes before the flag: a release holds for what its
// thread has seen, too, and wants no fence beside it.
__device__ inline void RaiseFlag(const PeerFlags& flags, uint32_t row, uint32_t at, uint32_t epoch) {
  uint32_t* const flag = flags.flags[at] + row * kMaxPeerRanks + flags.rank;
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(epoch) : "memory");
}

__device__ inline uint32_t LoadAcquire(const uint32_t* flag) {
  uint32_t value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

// Called by one thread. Tries until the rank has come, the limit, or once one has been reached. Host memory is left alone
// until then: thousands of threads may wait, and their reads of it, queued, kept a launch a millisecond longer.
template <typename HasCome>
__device__ __forceinline__ void AwaitRank(const PeerFlags& flags, uint32_t of, HasCome has_come) {
  volatile uint32_t* const given_up = flags.given_up;
  const uint32_t begin = ClockTurns();
  for (uint32_t tries = 1; !has_come(); ++tries) {
    if (tries % kTriesWithoutClock != 0) {
      continue;
    }
    if (*given_up != 0) {
      return;
    }
    if (ClockTurns() - begin > flags.max_clock_turns) {
      *given_up = 1;
      Report(flags.report[of]);
      return;
    }
  }
}

// Called by one thread. Returns when the rank's flag is `wanted` or higher, or as AwaitRank.
__device__ inline void AwaitFlag(const PeerFlags& flags, uint32_t row, uint32_t of, uint32_t wanted) {
  const uint32_t* const flag = flags.flags[flags.rank] + row * kMaxPeerRanks + of;
  AwaitRank(flags, of, [&] { return static_cast<int32_t>(LoadAcquire(flag) - wanted) >= 0; });
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_PEER_FLAGS_CUH_
