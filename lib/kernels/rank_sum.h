// The sum of the ranks' gradients, once all are in this GPU's memory: in fp32, in the order of the ranks, rounded once. So
// every rank has the same bits.
#ifndef LOCKSTEP_LIB_KERNELS_RANK_SUM_H_
#define LOCKSTEP_LIB_KERNELS_RANK_SUM_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "lib/kernels/peer_flags.h"

namespace lockstep {

// All pointers are of the device (of the host for the reference), to `count` elements. W: float or __nv_bfloat16.
template <typename W>
struct RankSumInput {
  size_t count = 0;    // any; 0 does nothing
  uint32_t ranks = 0;  // up to kMaxPeerRanks
  const W* from[kMaxPeerRanks] = {};
  W* to = nullptr;  // may be one of them
};

// Returns the launch's error; runs on `stream`. With most_blocks, by no more blocks than these; 0: as fast as it goes.
template <typename W>
cudaError_t RankSum(const RankSumInput<W>& input, cudaStream_t stream, uint32_t most_blocks = 0);

// The same on the host, bit for bit.
template <typename W>
void RankSumReference(const RankSumInput<W>& input);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_RANK_SUM_H_
