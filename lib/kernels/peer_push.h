// Several ranges of gradients into every other rank's memory by one launch, and a flag behind them: at the end of a step,
// where multiprocessors are free and each launch and each copy by a copy engine would be one wait more.
//
// It waits for nobody. Whoever adds up awaits the flag (peer_flags.h) in a launch of its own, of one warp.
#ifndef LOCKSTEP_LIB_KERNELS_PEER_PUSH_H_
#define LOCKSTEP_LIB_KERNELS_PEER_PUSH_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "lib/kernels/peer_flags.h"

namespace lockstep {

inline constexpr uint32_t kMaxPushed = 4;

// All pointers are of the device, aligned to 16 bytes.
struct PushedRange {
  size_t bytes = 0;  // whole 2 bytes
  const void* from = nullptr;
  void* to[kMaxPeerRanks] = {};  // in each other rank's memory, as mapped here
};

struct PeerPushInput {
  uint32_t ranges = 0;  // up to kMaxPushed
  PushedRange range[kMaxPushed];
  uint32_t* done = nullptr;  // device memory of this rank alone: 0, also afterwards
};

// Returns the launch's error, or cudaErrorInvalidValue where there is no such row or too many ranges; runs on `stream`.
// What was in `to` must have been read. Can be captured.
cudaError_t PeerPush(const PeerFlags& flags, uint32_t row, const PeerPushInput& input, cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_PEER_PUSH_H_
