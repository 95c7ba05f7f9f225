// Sums a small range of gradients over the ranks, in one launch of one block. The block writes its own gradients to
// every other rank, raises the range's flag, waits for the others' flags, and adds up in fp32 in the order of the
// ranks. With copy engines this would take at least four launches (copies, a flag, a wait and a sum) of 2 us each.
//
// Only one block, because blocks of two ranks that wait for each other in pairs can deadlock if other kernels want
// every multiprocessor at once: each rank could run one block that waits for a block for which the other rank has no
// free multiprocessor.
#ifndef LOCKSTEP_LIB_PEER_PEER_SUM_H_
#define LOCKSTEP_LIB_PEER_PEER_SUM_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "lib/peer/peer_flags.h"

namespace lockstep {

// Buffers of PeerSum, each of `count` elements. All pointers must be device pointers, aligned to 16 bytes. W: float or
// __nv_bfloat16.
template <typename W>
struct PeerSumInput {
  size_t count = 0;                       // number of elements; worthwhile up to about 100 KB
  W* data = nullptr;                      // this rank's gradients; the sum afterwards
  W* sent[kMaxPeerRanks] = {};            // this rank's receive buffer at each other rank, in that rank's memory
  const W* received[kMaxPeerRanks] = {};  // receive buffer for each other rank, in this rank's memory
};

// Runs on `stream`. The previous contents of `sent` must have been read. Returns the launch's error, or
// cudaErrorInvalidValue like AwaitPeerFlags. A rank that does not arrive is reported as by AwaitPeerFlags; the sum is
// then invalid. Can be captured.
template <typename W>
cudaError_t PeerSum(const PeerFlags& flags, uint32_t row, const PeerSumInput<W>& input, cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_PEER_SUM_H_
