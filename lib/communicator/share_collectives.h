// The two halves of an all-reduce as separate operations, which only NCCL's communicator has (communicator.h).
#ifndef LOCKSTEP_LIB_COMMUNICATOR_SHARE_COLLECTIVES_H_
#define LOCKSTEP_LIB_COMMUNICATOR_SHARE_COLLECTIVES_H_

#include <ATen/core/Tensor.h>

#include "absl/status/status.h"

namespace lockstep {

// Must be obtained from a Communicator by dynamic_cast. `flat` (contiguous, fp32 or bf16) must consist of as many equal
// shares as there are ranks, in rank order. Order, capture and errors are those of AllReduceSum; the result is ready on
// return, like that of Broadcast. InvalidArgument: the number of elements is not a multiple of the ranks.
class ShareCollectives {
 public:
  virtual ~ShareCollectives() = default;

  // Replaces this rank's share by its sum over the ranks.
  virtual absl::Status ReduceScatterSum(const at::Tensor& flat) = 0;

  // Replaces every share by that of its rank.
  virtual absl::Status GatherShares(const at::Tensor& flat) = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMMUNICATOR_SHARE_COLLECTIVES_H_
