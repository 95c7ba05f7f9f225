// Sums over the ranks of a host, each by one launch, whose kernels write to and read from the other GPUs' memory. In fp32,
// in the order of the ranks, rounded once: every rank has the same bits.
//
//   kOneShot   every rank sends all to all as packets and adds up all: the shortest way, for little
//   kTwoShots  every rank adds up a share and sends it to all, as packets: less is sent when there are more than two ranks
//   kDirect    every rank reads its share from all and writes it to all, where all can reach: the fastest for much
//
// A call is of all ranks, in the same order, with the same way, count and most_blocks, and on one stream of each rank at
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

enum class AllReduceWay { kOneShot, kTwoShots, kDirect };

// The most blocks of kDirect: each has a row of flags for its begin and one for its end.
inline constexpr uint32_t kMaxDirectBlocks = kPeerFlagRows / 2;

// What the calls of one set of ranks share.
struct PeerAllReduceMemory {
  PeerFlags flags;
  PacketRoom room;
  uint32_t* arrived = nullptr;  // device memory of this rank alone; 0 at the start
};

// W: float or __nv_bfloat16. Pointers are of the device.
template <typename W>
struct PeerAllReduceInput {
  size_t count = 0;         // any; 0 does nothing
  const W* from = nullptr;  // this rank's; kDirect leaves it as it is
  W* to = nullptr;          // `from` or apart from it
  // kDirect alone: each rank's `from` and `to` as mapped here, aligned to 16 bytes.
  const W* all_from[kMaxPeerRanks] = {};
  W* all_to[kMaxPeerRanks] = {};
};

// Queued on `stream`, by no more blocks than most_blocks; 0: as fast as it goes. Returns the launch's error, or
// cudaErrorInvalidValue: more than fits the room (MaxInOneShot, MaxInTwoShots), no such rank, or pointers that are not
// aligned.
template <typename W>
cudaError_t PeerAllReduce(const PeerAllReduceMemory& memory, AllReduceWay way, const PeerAllReduceInput<W>& input,
                          cudaStream_t stream, uint32_t most_blocks = 0);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_PEER_ALL_REDUCE_H_
