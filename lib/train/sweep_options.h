// What train_sweep is asked for: its flags, and the files that they name.
#ifndef LOCKSTEP_LIB_TRAIN_SWEEP_OPTIONS_H_
#define LOCKSTEP_LIB_TRAIN_SWEEP_OPTIONS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lib/proto/sweep.pb.h"
#include "lib/train/ladder.h"

namespace lockstep {

struct TrainSweepOptions {
  std::string input;                 // dataset.rec; "-": standard input
  std::string output = "sweep.rec";  // "-": standard output
  bool force = false;
  bool dry_run = false;         // print the plan, write nothing
  std::string device = "auto";  // as ResolveDevice takes it

  // What is asked for, in the words of the record: preset, memory_limit_bytes, evaluate_every, target_accuracy (with 0
  // for evaluate_every: after each epoch), find_max, and batch_size (exactly these; none: `ladder`). Of its training:
  // model, learning_rate (0: DefaultLearningRate), momentum, weight_decay, seed, augment, drop_last, loader_workers,
  // threads (0: LibTorch's default), accumulate, deterministic, the schedule and what belongs to it (lr_gamma 0: 0.1,
  // torch's default), the epochs (SetEpochs), and of the step (SettleStep) what shall not be as the preset has it. The
  // stage fills the rest.
  proto::SweepSpec spec;
  LadderOptions ladder;

  bool evaluate = true;           // test accuracy after the last epoch of each point
  bool resume = false;            // keep the state of training beside the output, and go on from it (training_state.h)
  uint32_t state_every = 1;       // epochs from one state to the next
  absl::Duration timeout;         // a point that does nothing for so long fails; 0: the device's (TimeoutOf)
  std::string checkpoint;         // where to put the weights; empty: nowhere
  uint32_t checkpoint_batch = 0;  // the point that they are trained at; 0: the first one
};

// What can be refused before the data set is read. InvalidArgument: flags that are missing, unknown, or contradict each
// other.
absl::Status CheckSweepOptions(const TrainSweepOptions& options);

// Where --resume keeps the state of a point's training; empty without it.
std::string StatePath(const TrainSweepOptions& options, uint32_t batch_size);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_SWEEP_OPTIONS_H_
