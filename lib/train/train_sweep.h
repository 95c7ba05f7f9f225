// The stage train_sweep: a data set to the times of one model at several batch sizes, and to trained weights.
//
// Two processes take part. The one that the user starts plans the ladder and writes the record; for each point it starts
// this program again with the same flags and one internal one, and that child trains and returns its point over a pipe.
#ifndef LOCKSTEP_LIB_TRAIN_TRAIN_SWEEP_H_
#define LOCKSTEP_LIB_TRAIN_TRAIN_SWEEP_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "lib/proto/sweep.pb.h"
#include "lib/train/ladder.h"

namespace lockstep {

struct TrainSweepOptions {
  std::string input;                 // dataset.rec; "-": standard input
  std::string output = "sweep.rec";  // "-": standard output
  bool force = false;
  bool dry_run = false;  // print the plan, write nothing

  std::string preset = "lab";      // fp32, no TF32, NCHW, two loader workers: the only one
  std::string precision = "fp32";  // the only one
  std::string device = "auto";     // as ResolveDevice takes it
  // model, learning_rate (0: DefaultLearningRate), momentum, weight_decay, seed, augment, drop_last, loader_workers,
  // threads (0: LibTorch's default) and deterministic are taken from here; the other fields are filled by the stage.
  proto::TrainingSpec training;
  uint32_t epochs = 0;   // in all, the first one being the warm-up; 0: 1 + repeats
  uint32_t repeats = 0;  // timed epochs; 0: epochs - 1, or 5 when `epochs` is 0 too

  LadderOptions ladder;
  uint64_t memory_limit_bytes = 0;  // of a point's process, on a CPU; 0: none
  bool evaluate = true;             // test accuracy after the last epoch of each point
  std::string checkpoint;           // where to put the weights; empty: nowhere
  uint32_t checkpoint_batch = 0;    // the point that they are trained at; 0: the first one
};

// The flag that makes a process a point, and the value of `batch_size` for RunTrainSweepPoint.
inline constexpr char kPointFlag[] = "internal_point_batch";

// The whole sweep, or "cached" on stderr when the output (and the checkpoint) hold it already.
//
// InvalidArgument: flags that cannot be, among them a batch larger than the training set. Unavailable: no such device.
// NotFound, DataLoss, FailedPrecondition: the input, or the checkpoint's folder. Cancelled: a stop signal; the points that
// were complete stay in OUTPUT.part. Internal: a point FAILED; ResourceExhausted: the checkpoint's point did not complete.
// In these last two cases the record is whole all the same, and its trailer holds the exit status.
absl::Status RunTrainSweep(const TrainSweepOptions& options);

// The child: trains one point and writes a serialized SweepFile to kResultFd.
absl::Status RunTrainSweepPoint(const TrainSweepOptions& options, uint32_t batch_size);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_TRAIN_SWEEP_H_
