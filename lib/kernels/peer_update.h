// The end of a step on several GPUs in one launch: gradients into every other rank's memory, the others' added to them as
// they come, and SGD. Multiprocessors are free there, and each launch more, or copy by a copy engine, would be one wait
// more. Gradients travel as packets that are their own flag (peer_packet.h): a thread updates what it was sent, and waits
// for nothing else.
//
// A flag beside them tells the others that all that was queued before has been written, such as weights in their memory.
//
// Safety: a place must be empty before a packet is sent to it: the caller's wait says that its last one was taken.
// Progress: a thread sends all its packets before it waits, and waits for the others' thread of its number. So all blocks
// must find room at once: there are no more than two a multiprocessor, also where a process is given a part of a GPU.
#ifndef LOCKSTEP_LIB_KERNELS_PEER_UPDATE_H_
#define LOCKSTEP_LIB_KERNELS_PEER_UPDATE_H_

#include <cuda_runtime.h>

#include <cstdint>

#include "lib/kernels/clock_mark.h"
#include "lib/kernels/peer_flags.h"
#include "lib/kernels/peer_packet_sum.h"
#include "lib/kernels/sgd.h"

namespace lockstep {

// Where both arrays' packets go, and the row of flags.
struct PeerPush {
  PeerFlags flags;
  uint32_t row = 0;
  PacketRoom weights, norms;  // buffer 0 of each alone, with room for the whole array
  uint32_t* done = nullptr;   // device memory of this rank alone: 0, also afterwards
};

// Where the clock is noted when what the others sent has come: as MarkClock, in so many columns.
struct ArrivalMarks {
  static constexpr uint32_t kMaxColumns = 2;

  const uint32_t* step = nullptr;
  ClockMarks marks;
  uint32_t columns = 0;
  uint32_t column[kMaxColumns] = {};
};

// `gradient` of both is this rank's, and the sum over all ranks stands in its place, as with SgdInput::of_rank, which is
// not used. G: float or __nv_bfloat16.
template <typename G>
struct PeerUpdateInput {
  SgdInput<G> weights;
  SgdInput<float> norms;
  ArrivalMarks arrival;
};

// Every rank makes the same call. With most_blocks, by no more blocks than these: for ranks that share a GPU. 0: as fast as
// it goes. Returns the launch's error, or cudaErrorInvalidValue where there is no such row, no such room or too many
// columns, or a gradient that is a sum; runs on `stream`. Can be captured. A rank that does not come is reported as by
// AwaitPeerFlags, and the parameters are then anything.
template <typename G>
cudaError_t PeerUpdate(const PeerPush& push, const PeerUpdateInput<G>& input, cudaStream_t stream,
                       uint32_t most_blocks = 0);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_PEER_UPDATE_H_
