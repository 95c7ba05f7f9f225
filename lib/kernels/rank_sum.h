// Sums the ranks' gradients once all of them are in this GPU's memory: in fp32, in the order of the ranks, rounded
// once. Hence every rank gets the same bits.
#ifndef LOCKSTEP_LIB_KERNELS_RANK_SUM_H_
#define LOCKSTEP_LIB_KERNELS_RANK_SUM_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "lib/collectives/max_peer_ranks.h"

namespace lockstep {

// Input of RankSum. All pointers must be device pointers (host pointers for the reference) to `count` elements. W:
// float or __nv_bfloat16.
template <typename W>
struct RankSumInput {
  size_t count = 0;    // elements; 0 does nothing
  uint32_t ranks = 0;  // 1 to kMaxPeerRanks
  const W* from[kMaxPeerRanks] = {};
  W* to = nullptr;  // may be one of `from`
};

// Runs on `stream` with at most `max_blocks` blocks; 0: as many as are useful. Returns the launch's error.
template <typename W>
cudaError_t RankSum(const RankSumInput<W>& input, cudaStream_t stream, uint32_t max_blocks = 0);

// Reference on the host, equal bit for bit.
template <typename W>
void RankSumReference(const RankSumInput<W>& input);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_RANK_SUM_H_
