// The two halves of an all-reduce on their own, which NCCL's communicator has beside what all have (communicator.h).
#ifndef LOCKSTEP_LIB_DIST_SHARE_COLLECTIVES_H_
#define LOCKSTEP_LIB_DIST_SHARE_COLLECTIVES_H_

#include <ATen/core/Tensor.h>

#include "absl/status/status.h"

namespace lockstep {

// Found by dynamic_cast from a Communicator. `flat` (contiguous, fp32 or bf16) is of as many equal shares as there are
// ranks, in their order. Order, capture and errors are as of AllReduceSum; done when it returns, as Broadcast is.
// InvalidArgument: a number of elements that ranks do not divide.
class ShareCollectives {
 public:
  virtual ~ShareCollectives() = default;

  // This rank's share becomes its sum over the ranks.
  virtual absl::Status ReduceScatterSum(const at::Tensor& flat) = 0;

  // Every share becomes that of its rank.
  virtual absl::Status GatherShares(const at::Tensor& flat) = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_SHARE_COLLECTIVES_H_
