// Measures the cost of an all-reduce as a linear function of its size. Bucket plans by time use this cost.
#ifndef LOCKSTEP_LIB_REDUCER_ALL_REDUCE_COST_PROBE_H_
#define LOCKSTEP_LIB_REDUCER_ALL_REDUCE_COST_PROBE_H_

#include <c10/core/Device.h>

#include "absl/status/statusor.h"
#include "lib/communicator/communicator.h"
#include "lib/reducer/bucket_plan_auto.h"

namespace lockstep {

// Times an all-reduce of 64 KiB, 1 MiB and 16 MiB (from the size of a last bucket to that of a large one), takes the
// median of each, and fits alpha + beta * S with alpha and beta at least 0 to the relative errors
// (lib/collectives/piecewise_alpha_beta.h). With one rank, the result is the cost of the call. All ranks must call it.
// Each rank returns its own measurement, so a plan must use the result of one rank. Errors are those of the
// communicator.
absl::StatusOr<AllReduceSeconds> MeasureAllReduceCost(Communicator& communicator, c10::Device device);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REDUCER_ALL_REDUCE_COST_PROBE_H_
