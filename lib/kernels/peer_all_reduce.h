// Sums over the ranks of a host, each by one launch, whose kernel writes packets (peer_packet.h) into the other GPUs'
// memory. In fp32, in the order of the ranks, rounded once: every rank has the same bits.
//
//   kOne  every rank sends all to all and adds up all: the shortest way, for little
//   kTwo  every rank adds up a share and sends it to all: each element's second way begins as soon as it is summed
//
// A call is of all ranks, in the same order, with the same shots, count and most_blocks, and on one stream of each rank at
// a time. Two sets of memory can be used at once. Each call raises the epoch, on the device, so that calls can be captured,
// any number to a graph, and replayed.
//
// Blocks of ranks that wait for each other must all find room: nothing that waits for this call may hold the
// multiprocessors meanwhile. A rank that does not come is reported as by AwaitPeerFlags; the sum is then none.
#ifndef LOCKSTEP_LIB_KERNELS_PEER_ALL_REDUCE_H_
#define LOCKSTEP_LIB_KERNELS_PEER_ALL_REDUCE_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "lib/kernels/peer_flags.h"
#include "lib/kernels/peer_packet_sum.h"

namespace lockstep {

enum class PacketShots { kOne, kTwo };

// What the calls of one set of ranks share.
struct PeerAllReduceMemory {
  PeerFlags flags;
  PacketRoom room;
  uint32_t* arrived = nullptr;  // device memory of this rank alone; 0 at the start
};

// W: float or __nv_bfloat16. Pointers are of the device.
template <typename W>
struct PeerAllReduceInput {
  size_t count = 0;  // any; 0 does nothing
  const W* from = nullptr;
  W* to = nullptr;  // `from` or apart from it
};

// Queued on `stream`, by no more blocks than most_blocks; 0: as fast as it goes. Returns the launch's error, or
// cudaErrorInvalidValue: more than fits the room (MaxInOneShot, MaxInTwoShots), or no such rank.
template <typename W>
cudaError_t PeerAllReduce(const PeerAllReduceMemory& memory, PacketShots shots, const PeerAllReduceInput<W>& input,
                          cudaStream_t stream, uint32_t most_blocks = 0);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_PEER_ALL_REDUCE_H_
