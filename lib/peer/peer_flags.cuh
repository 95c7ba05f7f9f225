// Device functions for the flags of peer_flags.h.
#ifndef LOCKSTEP_LIB_PEER_PEER_FLAGS_CUH_
#define LOCKSTEP_LIB_PEER_PEER_FLAGS_CUH_

#include <cstdint>

#include "lib/peer/peer_flags.h"

namespace lockstep {

// Raises this rank's flag of `row` at rank `at`. Must be called by one thread. All writes of its block before a
// __syncthreads are ordered before the flag: a release also covers writes that its thread has observed, so no
// additional fence is needed.
__device__ inline void RaiseFlag(const PeerFlags& flags, uint32_t row, uint32_t at, uint32_t epoch) {
  uint32_t* const flag = flags.flags[at] + row * kMaxPeerRanks + flags.rank;
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(epoch) : "memory");
}

__device__ inline uint32_t LoadAcquire(const uint32_t* flag) {
  uint32_t value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

// Tries until has_come() returns true, the limit is reached, or another wait has reached its limit. Must be called by
// one thread. Reads no host memory before the limit: if thousands of threads wait, their queued reads of host memory
// prolonged a launch by a millisecond.
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

// Returns when the rank's flag is `wanted` or higher, or when AwaitRank gives up. Must be called by one thread.
__device__ inline void AwaitFlag(const PeerFlags& flags, uint32_t row, uint32_t of, uint32_t wanted) {
  const uint32_t* const flag = flags.flags[flags.rank] + row * kMaxPeerRanks + of;
  AwaitRank(flags, of, [&] { return static_cast<int32_t>(LoadAcquire(flag) - wanted) >= 0; });
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_PEER_FLAGS_CUH_
