// Options of train_sweep: its flags, and the files that they name.
#ifndef LOCKSTEP_LIB_TRAIN_SWEEP_OPTIONS_H_
#define LOCKSTEP_LIB_TRAIN_SWEEP_OPTIONS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lib/proto/sweep.pb.h"
#include "lib/train/batch_sweep.h"

namespace lockstep {

struct TrainSweepOptions {
  std::string input;                 // dataset.rec; "-": standard input
  std::string output = "sweep.rec";  // "-": standard output
  bool force = false;
  bool dry_run = false;         // print the plan, write nothing
  std::string device = "auto";  // argument of ResolveDevice

  // Requested settings; the stage fills in the rest. Fields of the spec:
  // - preset, memory_limit_bytes, evaluate_every, find_max;
  // - target_accuracy (if evaluate_every is 0, each epoch is evaluated);
  // - batch_size (exactly these batches; empty: `batch_sweep`).
  //
  // Fields of its training:
  // - model, learning_rate (0: DefaultLearningRate), momentum, weight_decay, seed, augment, drop_last, loader_workers,
  //   threads (0: LibTorch's default), accumulate, deterministic;
  // - the schedule and its parameters (lr_gamma 0: 0.1, torch's default), the epochs (SetEpochs);
  // - the settings of the step that differ from the preset (SettleStep).
  proto::SweepSpec spec;
  BatchSweepOptions batch_sweep;

  bool evaluate = true;              // test accuracy after the last epoch of each point
  bool resume = false;               // keep the training state next to the output and resume from it (training_state.h)
  uint32_t state_every = 1;          // epochs from one state to the next
  absl::Duration timeout;            // a point that makes no progress for this long fails; 0: the device's default
                                     // (TimeoutOf)
  std::string init;                  // path of the initial weights (initial_weights.h); empty: weights from the seed
  bool normalization_given = false;  // the user gave --normalization; otherwise it is assumed for `init`
  std::string checkpoint;            // path for the weights; empty: not written
  uint32_t checkpoint_batch = 0;     // batch size of the point that they come from; 0: the first one
};

// Checks everything that can be refused before the data set is read. Returns InvalidArgumentError if flags are missing,
// unknown, or contradict each other.
absl::Status CheckSweepOptions(const TrainSweepOptions& options);

// Returns the path where --resume keeps a point's training state; empty without --resume.
std::string StatePath(const TrainSweepOptions& options, uint32_t batch_size);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_SWEEP_OPTIONS_H_
