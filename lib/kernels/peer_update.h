// The end of a step on several GPUs in one launch: gradients into every other rank's memory, a flag behind them, and, when
// the others' are here, their sum and SGD. Multiprocessors are free there, and each launch more, or copy by a copy engine,
// would be one wait more.
//
// All blocks wait for the others' flags, with the limit of peer_flags.h. So all of a rank's blocks must find room at once,
// or else its own flag would wait for one that finds none: there are no more than multiprocessors, also where a process is
// given a part of a GPU.
#ifndef LOCKSTEP_LIB_KERNELS_PEER_UPDATE_H_
#define LOCKSTEP_LIB_KERNELS_PEER_UPDATE_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "lib/kernels/clock_mark.h"
#include "lib/kernels/peer_flags.h"
#include "lib/kernels/sgd.h"

namespace lockstep {

inline constexpr uint32_t kMaxPushed = 4;

// All pointers are of the device, aligned to 16 bytes.
struct PushedRange {
  size_t bytes = 0;  // whole 2 bytes
  const void* from = nullptr;
  void* to[kMaxPeerRanks] = {};  // in each other rank's memory, as mapped here; what was there must have been read
};

// What is sent, and the row of flags that tells of it.
struct PeerPush {
  PeerFlags flags;
  uint32_t row = 0;
  uint32_t ranges = 0;  // up to kMaxPushed
  PushedRange range[kMaxPushed];
  uint32_t* done = nullptr;  // device memory of this rank alone: 0, also afterwards
};

// Where the clock is noted when all others' ranges have come: as MarkClock, in so many columns.
struct ArrivalMarks {
  const uint32_t* step = nullptr;
  ClockMarks marks;
  uint32_t columns = 0;
  uint32_t column[kMaxPushed] = {};
};

// Both with ranks > 0: their parts are this rank's gradients, and what the others push. G: float or __nv_bfloat16.
template <typename G>
struct PeerUpdateInput {
  SgdInput<G> weights;
  SgdInput<float> norms;
  ArrivalMarks arrival;
};

// Every rank makes the same call. With most_blocks, by no more blocks than these: for ranks that share a GPU. 0: as fast as
// it goes. Returns the launch's error, or cudaErrorInvalidValue where there is no such row, too many
// ranges or columns, or a gradient that is no sum; runs on `stream`. Can be captured. A rank that does not come is reported
// as by AwaitPeerFlags, and the parameters are then anything.
template <typename G>
cudaError_t PeerUpdate(const PeerPush& push, const PeerUpdateInput<G>& input, cudaStream_t stream,
                       uint32_t most_blocks = 0);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_PEER_UPDATE_H_
