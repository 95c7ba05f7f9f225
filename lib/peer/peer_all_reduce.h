// All-reduce over the ranks of a host, one launch per call. The kernel writes packets (peer_packet.h) into the other
// GPUs' memory. Sums are in fp32, in the order of the ranks, rounded once: every rank gets the same bits.
//
// - kOne: every rank sends everything to every rank and adds up everything. This is the lowest latency, for small
//   arrays.
// - kTwo: every rank adds up a share and sends the sum to every rank. The second transfer of each element starts as
//   soon as its sum is known.
//
// All ranks must make the same calls in the same order, with the same shots, count and max_blocks, and on one stream
// at a time. Two sets of memory can be used at once. Each call raises the epoch on the device, so that calls can be
// captured, any number per graph, and replayed.
//
// All blocks of ranks that wait for each other must be resident: no kernel that waits for this call may occupy the
// multiprocessors. A rank that does not arrive is reported as by AwaitPeerFlags; the sum is then invalid.
#ifndef LOCKSTEP_LIB_PEER_PEER_ALL_REDUCE_H_
#define LOCKSTEP_LIB_PEER_PEER_ALL_REDUCE_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "lib/peer/peer_flags.h"
#include "lib/peer/peer_packet_sum.h"

namespace lockstep {

enum class PacketShots { kOne, kTwo };

// Memory shared by the calls of one set of ranks.
struct PeerAllReduceMemory {
  PeerFlags flags;
  PacketBuffers buffers;
  uint32_t* arrived = nullptr;  // device memory of this rank only; must be 0 at the start
};

// Arrays to sum. Both pointers must be device pointers. W: float or __nv_bfloat16.
template <typename W>
struct PeerAllReduceInput {
  size_t count = 0;  // elements; 0 does nothing
  const W* from = nullptr;
  W* to = nullptr;  // must be `from` or not overlap it
};

// Queues the all-reduce on `stream`, with at most `max_blocks` blocks; 0: as many as are useful. Returns the launch's
// error, or cudaErrorInvalidValue if the count exceeds the memory (MaxInOneShot, MaxInTwoShots) or the rank does not
// exist.
template <typename W>
cudaError_t PeerAllReduce(const PeerAllReduceMemory& memory, PacketShots shots, const PeerAllReduceInput<W>& input,
                          cudaStream_t stream, uint32_t max_blocks = 0);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_PEER_ALL_REDUCE_H_
