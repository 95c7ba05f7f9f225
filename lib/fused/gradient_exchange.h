// What the hand-written step wants of the other GPUs: sums over all ranks, range by range. lib/dist says over what.
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
#include "lib/fused/wire.h"
#include "lib/kernels/peer_flags.h"
#include "lib/kernels/peer_update.h"

namespace lockstep {

struct RangeToSum {
  void* data = nullptr;              // of the device
  size_t count = 0;                  // elements
  Wire type = Wire::kFp32;           // theirs
  cudaStream_t ready = nullptr;      // what is queued here so far makes the range
  cudaStream_t then = nullptr;       // what is queued here from the call on finds the sum
  uint32_t max_multiprocessors = 0;  // that a launch may take beside the rest of the step; 0: all
  bool sharable = false;             // each rank may be handed a share of the sum alone; the same range in every step
};

// The elements begin ... begin + count - 1 of a range that each rank updates the weights of, for all ranks.
struct RankShare {
  size_t begin = 0;
  size_t count = 0;
};

// A range's share of `rank` of `ranks`: equal parts of whole 16 bytes of bf16, the last one shorter.
inline RankShare ShareOf(size_t range_count, uint32_t rank, uint32_t ranks) {
  constexpr size_t kWhole = 8;
  const size_t each = (range_count + ranks * kWhole - 1) / (ranks * kWhole) * kWhole;
  const size_t begin = std::min(range_count, rank * each);
  return {begin, std::min(each, range_count - begin)};
}

// Where a range's sum is: in the range's own place, or still in parts, one of each rank, in their order.
struct RangeSum {
  uint32_t ranks = 0;                       // 0: in its own place
  const void* of_rank[kMaxPeerRanks] = {};  // of the device, of the range's type, from its first element on
  bool shared = false;                      // they hold this rank's share and nothing else
  RankShare share;                          // empty, at 0, where not shared
};

// A piece of an array, of which each rank keeps its share up to date.
struct SharedRange {
  float* data = nullptr;  // of the device
  size_t count = 0;
};

// Every rank makes the same calls in the same order.
class GradientExchange {
 public:
  virtual ~GradientExchange() = default;

  virtual uint32_t ranks() const = 0;

  // As what the convolutions' and the classifier's gradients travel; batch norm's always do in fp32.
  virtual Wire wire() const = 0;

  // The most multiprocessors that it takes from kernels that run beside it; 0: none.
  virtual uint32_t max_multiprocessors() const = 0;

  // Queues: the range becomes its sum over the ranks, in its place. Does not wait for the GPU, and can be captured.
  // Unavailable: a rank is lost.
  virtual absl::Status Sum(const RangeToSum& range) = 0;

  // The same, for who can add up the parts on the way. They are there until `stream` of EndStep.
  virtual absl::StatusOr<RangeSum> Gather(const RangeToSum& range) {
    const absl::Status status = Sum(range);
    return status.ok() ? absl::StatusOr<RangeSum>(RangeSum()) : status;
  }

  // A step's last ranges at once, which one launch sends, adds up and applies: nothing is sent here, and PeerUpdate with
  // what is given here comes next on their stream `then`. Without it each is for Gather.
  virtual bool GathersTogether() const { return false; }
  virtual absl::StatusOr<PeerPush> GatherTogether(const RangeToSum& weights, const RangeToSum& norms) {
    return absl::UnimplementedError("no ranges at once");
  }

  // Sharing of the update ("ZeRO-1"): bf16 weights that the network of `rank` reads, which every rank writes to, each
  // element by the rank whose share it is. Null: there are none, and each rank updates all weights.
  virtual __nv_bfloat16* SharedWeights(uint32_t rank) const { return nullptr; }
  virtual uint32_t rank() const { return 0; }

  // What is queued on `stream` so far has written this rank's share of a range to SharedWeights of all ranks, behind
  // Gather of that range and before EndStep.
  virtual absl::Status WeightsWritten(cudaStream_t stream) { return absl::OkStatus(); }

  // Between steps: each rank's shares come to all. Queues on `stream`.
  virtual absl::Status GatherShares(const std::vector<SharedRange>& ranges, cudaStream_t stream) {
    return absl::OkStatus();
  }

  // All sums of a step are queued, and `stream` waits for them, and for weights that others write. May queue there.
  virtual absl::Status EndStep(cudaStream_t stream) = 0;

  // Unavailable: a rank is known to be lost, so that sums since then are none. Does not wait.
  virtual absl::Status Health() const { return absl::OkStatus(); }
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_GRADIENT_EXCHANGE_H_
