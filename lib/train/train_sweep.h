// The stage train_sweep: a data set to the times of one model at several batch sizes, and to trained weights.
//
// Two processes take part. The one that the user starts plans the ladder and writes the record; for each point it
// starts this program again with that point's order in one internal flag, and the child trains and returns its point
// over a pipe.
#ifndef LOCKSTEP_LIB_TRAIN_TRAIN_SWEEP_H_
#define LOCKSTEP_LIB_TRAIN_TRAIN_SWEEP_H_

#include <string>

#include "absl/status/status.h"
#include "lib/train/sweep_options.h"

namespace lockstep {

// The flag that makes a process a point, with the value of `order` for RunTrainSweepPoint.
inline constexpr char kPointFlag[] = "internal_point";

// The whole sweep, or "cached" on stderr when the output (and the checkpoint) hold it already.
//
// InvalidArgument: flags that cannot be, among them a batch larger than the training set. Unavailable: no such device.
// NotFound, DataLoss, FailedPrecondition: the input, or the checkpoint's folder. Cancelled: a stop signal; the points
// that were complete stay in OUTPUT.part. Unavailable, with the same effect: a signal ended a point's process. FailedPrecondition: a
// point's process found the input missing, broken, or replaced since the run began; likewise. Internal: a point FAILED,
// but InvalidArgument or Unavailable when its own process said so of a flag, a device, or a full disk. ResourceExhausted: the checkpoint's point did not complete. In these last cases the record is
// whole all the same, and its trailer holds the exit status.
absl::Status RunTrainSweep(const TrainSweepOptions& options);

// The child: trains one point by its `order`, a PointOrder as text, and writes a serialized SweepFile to kResultFd; an
// error too is a point of it, so that the parent alone speaks. Cancelled: a stop signal. Internal: the order does not
// parse, or nobody takes the result.
absl::Status RunTrainSweepPoint(const std::string& order);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_TRAIN_SWEEP_H_
