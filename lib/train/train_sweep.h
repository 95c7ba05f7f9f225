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

// Runs the whole sweep, or prints "cached" on stderr if the output (and the checkpoint) hold it already. Returns these
// errors before it measures anything:
// - InvalidArgument: flags that cannot be, among them a batch larger than the training set;
// - Unavailable: no such device;
// - NotFound, DataLoss, FailedPrecondition: the input, or the checkpoint's folder.
// These end the sweep; the points that were complete stay in OUTPUT.part:
// - Cancelled: a stop signal;
// - Unavailable: a signal ended a point's process;
// - FailedPrecondition: a point's process found the input missing, broken, or replaced since the run began.
// With these the record is whole, and its trailer holds the exit status:
// - Internal: a point FAILED; InvalidArgument or Unavailable instead, if the point's process returned that for a flag,
//   a device or a full disk;
// - ResourceExhausted: the checkpoint's point did not complete.
absl::Status RunTrainSweep(const TrainSweepOptions& options);

// The child: trains one point by its `order`, a PointOrder as text, and writes a serialized SweepFile to kResultFd; an
// error too is a point of it, so that the parent alone speaks. Cancelled: a stop signal. Internal: the order does not
// parse, or nobody takes the result.
absl::Status RunTrainSweepPoint(const std::string& order);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_TRAIN_SWEEP_H_
