// What the hand-written step wants of the other GPUs: sums over all ranks, range by range. lib/dist says over what.
#ifndef LOCKSTEP_LIB_FUSED_GRADIENT_EXCHANGE_H_
#define LOCKSTEP_LIB_FUSED_GRADIENT_EXCHANGE_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/fused/wire.h"
#include "lib/kernels/peer_flags.h"

namespace lockstep {

struct RangeToSum {
  void* data = nullptr;              // of the device
  size_t count = 0;                  // elements
  Wire type = Wire::kFp32;           // theirs
  cudaStream_t ready = nullptr;      // what is queued here so far makes the range
  cudaStream_t then = nullptr;       // what is queued here from the call on finds the sum
  uint32_t max_multiprocessors = 0;  // that a launch may take beside the rest of the step; 0: all
};

// Where a range's sum is: in the range's own place, or still in parts, one of each rank, in their order.
struct RangeSum {
  uint32_t ranks = 0;                       // 0: in its own place
  const void* of_rank[kMaxPeerRanks] = {};  // of the device, of the range's type
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

  // All sums of a step are queued, and `stream` waits for them. May queue there.
  virtual absl::Status EndStep(cudaStream_t stream) = 0;

  // Unavailable: a rank is known to be lost, so that sums since then are none. Does not wait.
  virtual absl::Status Health() const { return absl::OkStatus(); }
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_GRADIENT_EXCHANGE_H_
