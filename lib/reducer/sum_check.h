// Checks an average of gradients against a sum in double precision on the host.
//
// Each rank broadcasts its own gradients to all ranks; a broadcast is a different operation than the checked
// all-reduce. Each element of the average may differ from the exact average only by rounding. Each of the N terms g_r
// is multiplied by 1/N, which is itself rounded: 2 roundings of at most u = 2^-24. Then the term passes through at most
// N - 1 additions, in any order, and if the communication dtype is bf16 through one more rounding before them. Each of
// these roundings is at most w, that of the communication dtype (2^-24, or 2^-8 in bf16). So in fp32
//
//     |error| <= (N + 2) u * mean|g_r|, where the extra u is more than the higher orders,
//
// and in bf16, where the higher orders are not small,
//
//     |error| <= ((1 + w)^N (1 + u)^2 - 1) * mean|g_r|,
//
// plus N * 2^-126 for values flushed to zero: both formats have the same exponents.
#ifndef LOCKSTEP_LIB_REDUCER_SUM_CHECK_H_
#define LOCKSTEP_LIB_REDUCER_SUM_CHECK_H_

#include <ATen/core/Tensor.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/collectives/communication_dtype.h"
#include "lib/communicator/communicator.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// Checks an average. All ranks must call it. `local` and `average` must be fp32 (n), contiguous, on the communicator's
// device: this rank's own gradients, and the reducer's result with the communication dtype `dtype`. All ranks return
// the same result, whether or not the check passed.
absl::StatusOr<proto::SumCheck> CheckAverage(Communicator& communicator, const at::Tensor& local,
                                             const at::Tensor& average,
                                             CommunicationDtype dtype = CommunicationDtype::kFp32);

// Returns OK if the check passed, else AbortedError with the violated conditions.
absl::Status SumCheckStatus(const proto::SumCheck& check);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REDUCER_SUM_CHECK_H_
