// Workload that --what_if moves to another cluster, made from the measured runs.
#ifndef LOCKSTEP_LIB_PREDICTION_WORKLOAD_H_
#define LOCKSTEP_LIB_PREDICTION_WORKLOAD_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "lib/prediction/all_reduce_time.h"
#include "lib/prediction/modelled_step.h"
#include "lib/prediction/scaling_times.h"
#include "lib/prediction/step_curve.h"

namespace lockstep {

// Returns one step at `batch`: from the one-device curve; overhead and stragglers from the run of the most devices
// (lib/prediction/epoch_parts.h; 0 if no run has several devices); the buckets of that run. Without buckets the whole
// gradient is one bucket that is ready at the end of backward, so that nothing is hidden. FailedPrecondition: no run,
// or no size of the gradient. OutOfRange: a batch above the curve.
absl::StatusOr<Workload> MakeWorkload(const ScalingTimes& times, const StepCurve& curve,
                                      const AllReduceTime& all_reduce, uint32_t batch);

// Returns the link inside a host: the bus bandwidth of an all-reduce of the gradient on the most devices of any run, at
// most `max_devices`. The bandwidth includes the latency. NotFound: no all-reduce was measured.
absl::StatusOr<proto::Link> MeasuredLink(const ScalingTimes& times, const AllReduceTime& all_reduce,
                                         uint32_t max_devices);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_WORKLOAD_H_
