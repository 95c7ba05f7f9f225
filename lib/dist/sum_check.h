// Proof that an average of gradients is one: against a sum on the host, in double precision.
//
// Each rank's own gradients go to all ranks by broadcast, another operation than the all-reduce that is checked. Element
// by element the average may differ from the exact one by rounding alone. Each of the N terms g_r is multiplied by 1/N,
// itself rounded: 2 roundings of at most u = 2^-24. It passes through at most N - 1 additions, whatever their order, and on
// a bf16 wire through one rounding more, before them; each of these is of at most w, the wire's (2^-24, or 2^-8 in bf16).
// So on fp32
//
//     |error| <= (N + 2) u * mean|g_r|, where the extra u is more than the higher orders,
//
// and on bf16, where the higher orders are not small,
//
//     |error| <= ((1 + w)^N (1 + u)^2 - 1) * mean|g_r|,
//
// plus N * 2^-126 for values flushed to zero: both formats have the same exponents.
#ifndef LOCKSTEP_LIB_DIST_SUM_CHECK_H_
#define LOCKSTEP_LIB_DIST_SUM_CHECK_H_

#include <ATen/core/Tensor.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/dist/communicator.h"
#include "lib/fused/wire.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// Called by all ranks. `local` and `average` are fp32 (n), contiguous, on the communicator's device: this rank's own
// gradients, and what the reducer made of them on that wire. All ranks return the same, passed or not.
absl::StatusOr<proto::SumCheck> CheckAverage(Communicator& communicator, const at::Tensor& local,
                                             const at::Tensor& average, Wire wire = Wire::kFp32);

// OK when passed, else Aborted with what did not hold.
absl::Status SumCheckStatus(const proto::SumCheck& check);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_SUM_CHECK_H_
