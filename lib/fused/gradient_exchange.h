// GradientExchange: sums over all ranks, range by range, as the fused step needs them. Implemented in lib/reducer.
#ifndef LOCKSTEP_LIB_FUSED_GRADIENT_EXCHANGE_H_
#define LOCKSTEP_LIB_FUSED_GRADIENT_EXCHANGE_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/collectives/communication_dtype.h"
#include "lib/peer/peer_flags.h"
#include "lib/peer/peer_update.h"

namespace lockstep {

struct RangeToSum {
  void* data = nullptr;                                 // device pointer
  size_t count = 0;                                     // elements
  CommunicationDtype type = CommunicationDtype::kFp32;  // type of the elements
  cudaStream_t ready = nullptr;                         // stream whose work queued so far computes the range
  cudaStream_t then = nullptr;                          // stream whose work queued after the call finds the sum
  uint32_t max_multiprocessors = 0;  // SMs that a launch may take while the rest of the step runs; 0: all
  bool sharable = false;             // true: each rank may get only its share of the sum; the range must be the same in
                                     // every step
};

// Elements begin ... begin + count - 1 of a range, whose weights one rank updates for all ranks.
struct RankShare {
  size_t begin = 0;
  size_t count = 0;
};

// Returns the share of `rank` of `ranks` in a range. Shares are equal multiples of 16 bytes of bf16; the last is
// shorter.
inline RankShare ShareOf(size_t range_count, uint32_t rank, uint32_t ranks) {
  constexpr size_t kWhole = 8;
  const size_t each = (range_count + ranks * kWhole - 1) / (ranks * kWhole) * kWhole;
  const size_t begin = std::min(range_count, rank * each);
  return {begin, std::min(each, range_count - begin)};
}

// Location of a range's sum: in place of the range, or still as one addend per rank, in rank order.
struct RangeSum {
  uint32_t ranks = 0;                       // number of addends; 0: the sum is in place
  const void* of_rank[kMaxPeerRanks] = {};  // device pointers to the first element of the range, in the range's type
  bool shared = false;                      // true: the addends hold this rank's share and nothing else
  RankShare share;                          // empty, at 0, if not shared
};

// Piece of an array of which each rank keeps its share up to date.
struct SharedRange {
  float* data = nullptr;  // device pointer
  size_t count = 0;
};

// Interface of the exchange. Every rank must make the same calls in the same order.
class GradientExchange {
 public:
  virtual ~GradientExchange() = default;

  virtual uint32_t ranks() const = 0;

  // Returns the communication dtype of the convolutions' and the classifier's gradients. Those of batch norm are always
  // sent in fp32.
  virtual CommunicationDtype communication_dtype() const = 0;

  // Returns the largest number of SMs that the exchange takes from concurrent kernels; 0: none.
  virtual uint32_t max_multiprocessors() const = 0;

  // Queues the sum of a range over the ranks, in place. Does not wait for the GPU and may be captured. Returns
  // UnavailableError if a rank is lost.
  virtual absl::Status Sum(const RangeToSum& range) = 0;

  // Queues the same for a caller that can add up the addends itself. The addends may be read by work that `stream` of
  // EndStep is ordered after.
  virtual absl::StatusOr<RangeSum> Gather(const RangeToSum& range) {
    const absl::Status status = Sum(range);
    return status.ok() ? absl::StatusOr<RangeSum>(RangeSum()) : status;
  }

  // Returns true if the last ranges of a step may go together: one launch sends them, adds them up and applies the
  // update. GatherTogether itself sends nothing; the caller must queue PeerUpdate with the returned PeerPush next on
  // the ranges' `then` stream. If false, each range must go through Gather.
  virtual bool GathersTogether() const { return false; }
  virtual absl::StatusOr<PeerPush> GatherTogether(const RangeToSum& weights, const RangeToSum& batch_norms) {
    return absl::UnimplementedError("several ranges at once are not supported");
  }

  // Returns the bf16 weights that the network of `rank` reads, if the ranks share the update ("ZeRO-1"). Every rank
  // writes to them, each element by the rank whose share it belongs to. Returns null if each rank updates all weights.
  virtual __nv_bfloat16* SharedWeights(uint32_t rank) const { return nullptr; }
  virtual uint32_t rank() const { return 0; }

  // Reports that the work queued on `stream` so far writes this rank's share of a range to SharedWeights of all ranks.
  // Must be called after Gather of that range and before EndStep.
  virtual absl::Status WeightsWritten(cudaStream_t stream) { return absl::OkStatus(); }

  // Queues on `stream`, between steps, the all-gather of each rank's shares.
  virtual absl::Status GatherShares(const std::vector<SharedRange>& ranges, cudaStream_t stream) {
    return absl::OkStatus();
  }

  // Makes `stream` wait for the step's sums, all of which must be queued, and for the weights that other ranks write.
  // May queue work on `stream`.
  virtual absl::Status EndStep(cudaStream_t stream) = 0;

  // Returns UnavailableError if a rank is known to be lost; sums since then are invalid. Does not wait.
  virtual absl::Status Health() const { return absl::OkStatus(); }
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_GRADIENT_EXCHANGE_H_
