// What an all-reduce of any size costs here, as a line through a few measured ones: what plans of buckets go by.
#ifndef LOCKSTEP_LIB_DIST_ALL_REDUCE_COST_PROBE_H_
#define LOCKSTEP_LIB_DIST_ALL_REDUCE_COST_PROBE_H_

#include <c10/core/Device.h>

#include "absl/status/statusor.h"
#include "lib/dist/bucket_plan_auto.h"
#include "lib/dist/communicator.h"

namespace lockstep {

// Called by all ranks; each has its own times, so a plan takes those of one rank. Times an all-reduce of 64 KiB, 1 MiB and
// 16 MiB (from the last bucket's sizes to a large one's), takes the median of each, and fits alpha + beta * S with both at
// least 0 to the relative errors (lib/collectives/piecewise_alpha_beta.h). On one rank it is what a call takes. Errors are the
// communicator's.
absl::StatusOr<AllReduceSeconds> MeasureAllReduceCost(Communicator& communicator, c10::Device device);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_ALL_REDUCE_COST_PROBE_H_
