// The workload that --what_if moves to another cluster, from the runs that there are.
#ifndef LOCKSTEP_LIB_PREDICTION_WORKLOAD_H_
#define LOCKSTEP_LIB_PREDICTION_WORKLOAD_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "lib/prediction/all_reduce_time.h"
#include "lib/prediction/scaling_times.h"
#include "lib/prediction/step_curve.h"
#include "lib/prediction/what_if.h"

namespace lockstep {

// One step at `batch`: the one-device curve; overhead and stragglers of the run of the most devices (lib/prediction/
// epoch_parts.h; 0 when there is none of several); the buckets of that run. Without buckets the whole gradient is one
// that is ready at the end of backward, so that nothing hides. FailedPrecondition: no run, no size of the gradient.
// OutOfRange: a batch beyond the curve.
absl::StatusOr<Workload> MakeWorkload(const ScalingTimes& times, const StepCurve& curve,
                                      const AllReduceTime& all_reduce, uint32_t batch);

// A link inside a host as a ring's bandwidth on the most devices that an all-reduce was measured on, for a gradient of
// this size; its latency is in that. NotFound: none was measured.
absl::StatusOr<proto::Link> MeasuredLink(const ScalingTimes& times, const AllReduceTime& all_reduce,
                                         uint32_t most_devices);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_WORKLOAD_H_
