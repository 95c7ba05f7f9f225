// A sum over the GPUs of a host by their copy engines, for much: they fill a link further than kernels do. Each rank is
// sent the others' part of its share, adds it up (lib/kernels/rank_sum.h), and sends the sum to the others. A share goes in
// two pieces, so that the second is under way while the first is added up.
#ifndef LOCKSTEP_LIB_PEER_COPIED_SUM_H_
#define LOCKSTEP_LIB_PEER_COPIED_SUM_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/kernels/peer_flags.h"

namespace lockstep {

// Pointers are of the device, aligned to 16 bytes. W: float or __nv_bfloat16.
template <typename W>
struct CopiedSumInput {
  size_t count = 0;                       // any, and the same on every rank
  const W* from = nullptr;                // this rank's
  W* all_to[kMaxPeerRanks] = {};          // each rank's sum, as mapped here; this rank's may be `from`
  W* sent[kMaxPeerRanks] = {};            // where each other rank finds this one's part of its share, as mapped here
  const W* received[kMaxPeerRanks] = {};  // where this rank finds each other's part; room for MaxShare<W>
};

// The most elements of a rank's share of `count`.
template <typename W>
size_t MaxShare(size_t count, uint32_t ranks);

class CopiedSum {
 public:
  // Uses four rows of `flags`, whose epoch it raises by one a call.
  static absl::StatusOr<std::unique_ptr<CopiedSum>> Make(const PeerFlags& flags);
  ~CopiedSum();
  CopiedSum(const CopiedSum&) = delete;
  CopiedSum& operator=(const CopiedSum&) = delete;

  // Queued behind `stream`, which goes on when the sum is there. Of all ranks, in the same order. Can be captured. A rank
  // that does not come is reported as by AwaitPeerFlags. Kernels have most_blocks blocks at most; 0: as fast as it goes.
  template <typename W>
  absl::Status Sum(const CopiedSumInput<W>& input, cudaStream_t stream, uint32_t most_blocks);

 private:
  static constexpr uint32_t kPieces = 2;

  explicit CopiedSum(const PeerFlags& flags) : flags_(flags) {}
  std::vector<cudaStream_t*> Streams();
  std::vector<cudaEvent_t*> Events();
  // What is queued on `then` from here on comes behind what is queued on `first` by now.
  absl::Status Behind(cudaEvent_t event, cudaStream_t first, cudaStream_t then);

  const PeerFlags flags_;
  cudaStream_t copies_ = nullptr, told_ = nullptr;  // beside the caller's: copies; flags that say they are there
  cudaEvent_t begun_ = nullptr, told_all_ = nullptr, copied_ = nullptr;
  cudaEvent_t sent_[kPieces] = {}, added_[kPieces] = {};
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_COPIED_SUM_H_
