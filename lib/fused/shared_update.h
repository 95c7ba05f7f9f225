// SharedUpdate: the role of an exchange whose ranks share the update ("ZeRO-1"). Each rank updates its share of a range
// and writes the new weights into the memory of all ranks.
#ifndef LOCKSTEP_LIB_FUSED_SHARED_UPDATE_H_
#define LOCKSTEP_LIB_FUSED_SHARED_UPDATE_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

#include "absl/status/status.h"

namespace lockstep {

// Piece of an array of which each rank keeps its share up to date.
struct SharedRange {
  float* data = nullptr;  // device pointer
  size_t count = 0;
};

class SharedUpdate {
 public:
  virtual ~SharedUpdate() = default;

  // Returns the bf16 weights that this rank's network reads. Every rank writes to them, each element by the rank whose
  // share it belongs to.
  virtual __nv_bfloat16* Weights() const = 0;

  // Returns the weights of the other ranks to which this rank writes, in rank order.
  virtual std::vector<__nv_bfloat16*> OtherWeights() const = 0;

  // Reports that the work queued on `stream` so far writes this rank's share of a range to the weights of all ranks.
  // Must be called after the Gather of that range and before EndStep.
  virtual absl::Status WeightsWritten(cudaStream_t stream) = 0;

  // Queues on `stream`, between steps, the all-gather of each rank's shares.
  virtual absl::Status GatherShares(const std::vector<SharedRange>& ranges, cudaStream_t stream) = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_SHARED_UPDATE_H_
