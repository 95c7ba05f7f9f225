// Stage train_sweep: trains one model on a data set at several batch sizes, and writes times and trained weights.
//
// The process that the user starts plans the batch sweep and writes the record. For each point it starts this program
// again, with the point's order in one internal flag. This child process trains and returns the point over a pipe.
#ifndef LOCKSTEP_LIB_TRAIN_TRAIN_SWEEP_H_
#define LOCKSTEP_LIB_TRAIN_TRAIN_SWEEP_H_

#include <string>

#include "absl/status/status.h"
#include "lib/train/sweep_options.h"

namespace lockstep {

// Name of the flag that makes a process train one point. Its value is the `order` for RunTrainSweepPoint.
inline constexpr char kPointFlag[] = "internal_point";

// Runs the whole sweep, or prints "cached" on stderr if the output (and the checkpoint) hold it already.
//
// Errors before anything is measured:
// - InvalidArgument: flags that are not possible, such as a batch larger than the training set.
// - Unavailable: no such device.
// - NotFound, DataLoss, FailedPrecondition: the input, or the checkpoint's folder.
//
// Errors that end the sweep; completed points stay in OUTPUT.part:
// - Cancelled: a stop signal.
// - Unavailable: a signal ended a point's process.
// - FailedPrecondition: a point's process found the input missing, broken, or replaced since the run began.
//
// Errors with a complete record, whose trailer holds the exit status:
// - Internal: a point FAILED; instead InvalidArgument or Unavailable if the point's process returned that for a flag, a
//   device or a full disk.
// - ResourceExhausted: the checkpoint's point did not complete.
absl::Status RunTrainSweep(const TrainSweepOptions& options);

// Runs the child process: trains one point by its `order`, a PointOrder as text, and writes a serialized SweepFile to
// kResultFd. An error is also written as a point, so that only the parent prints messages. Returns CancelledError at a
// stop signal, and InternalError if the order does not parse or the result cannot be written.
absl::Status RunTrainSweepPoint(const std::string& order);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_TRAIN_SWEEP_H_
