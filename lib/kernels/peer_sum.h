// A small range of gradients summed over the ranks by one launch of one block: it writes its own to every other rank,
// raises the range's flag, awaits theirs, and adds up in fp32, in the order of the ranks. Copies by copy engines, a flag, a
// wait and a sum would be four launches and more, of 2 us each.
//
// One block, because blocks of two ranks that wait for each other in pairs can stop each other for good where other
// kernels want every multiprocessor at once: each rank would have one block at work that waits for the block that the
// other rank has no room for.
#ifndef LOCKSTEP_LIB_KERNELS_PEER_SUM_H_
#define LOCKSTEP_LIB_KERNELS_PEER_SUM_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "lib/kernels/peer_flags.h"

namespace lockstep {

// All pointers are of the device, aligned to 16 bytes, to `count` elements. W: float or __nv_bfloat16.
template <typename W>
struct PeerSumInput {
  size_t count = 0;                       // any; some 100 KB are the most that is worth it
  W* data = nullptr;                      // this rank's, then the sum
  W* sent[kMaxPeerRanks] = {};            // where each other rank finds it, in that rank's memory
  const W* received[kMaxPeerRanks] = {};  // where this rank finds each other's, in its own memory
};

// Returns the launch's error, or cudaErrorInvalidValue as AwaitPeerFlags; runs on `stream`. What was in `sent` must have
// been read. A rank that does not come is reported as by AwaitPeerFlags, and the sum is then none. Can be captured.
template <typename W>
cudaError_t PeerSum(const PeerFlags& flags, uint32_t row, const PeerSumInput<W>& input, cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_PEER_SUM_H_
