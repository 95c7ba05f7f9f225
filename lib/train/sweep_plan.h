// What a sweep is asked for, and what it therefore will do: checked and settled before anything is trained.
#ifndef LOCKSTEP_LIB_TRAIN_SWEEP_PLAN_H_
#define LOCKSTEP_LIB_TRAIN_SWEEP_PLAN_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/dataset/dataset.h"
#include "lib/proto/sweep.pb.h"
#include "lib/train/ladder.h"

namespace lockstep {

struct TrainSweepOptions {
  std::string input;                 // dataset.rec; "-": standard input
  std::string output = "sweep.rec";  // "-": standard output
  bool force = false;
  bool dry_run = false;  // print the plan, write nothing

  // lab: fp32 without TF32, NCHW, LibTorch's autograd, two loader workers. fast: bf16 by the hand-written step, in a
  // CUDA graph, from a data set on the GPU, on two streams. The ten below override it; empty: as the preset has it.
  std::string preset = "lab";
  std::string step;           // autograd or fused
  std::string precision;      // fp32, tf32 or bf16
  std::string memory_format;  // nchw or channels_last
  std::string graph;          // true or false, as the six below
  std::string second_stream;
  std::string fused_sums;   // by default where it can be, as the two below: in the fused step's bf16
  std::string fused_norms;  // and with fused_sums
  std::string own_weight_gradients;
  std::string own_convolutions;        // by default in the fused step's fp32
  std::string divide_multiprocessors;  // by default in the fused step's bf16, with second_stream
  std::string device = "auto";         // as ResolveDevice takes it
  // model, learning_rate (0: DefaultLearningRate), momentum, weight_decay, seed, augment, drop_last, loader_workers,
  // threads (0: LibTorch's default), accumulate and deterministic are taken from here; the other fields are filled by
  // the stage.
  proto::TrainingSpec training;
  std::string schedule = "constant";    // multistep, cosine or one_cycle; of the learning rate (schedule.h)
  std::vector<uint32_t> lr_milestones;  // of multistep
  double lr_gamma = 0;                  // likewise; 0: 0.1, torch's default
  uint32_t lr_warmup_epochs = 0;        // the rate climbs to its peak meanwhile
  uint32_t epochs = 0;                  // in all, the first one being the warm-up; 0: 1 + repeats
  uint32_t repeats = 0;                 // timed epochs; 0: epochs - 1, or 5 when `epochs` is 0 too

  LadderOptions ladder;
  bool find_max = false;            // then probe for the largest batch that fits
  uint64_t memory_limit_bytes = 0;  // of a point's process, on a CPU; 0: none
  bool evaluate = true;             // test accuracy after the last epoch of each point
  uint32_t evaluate_every = 0;      // and after each so many epochs; 0: not, or each one with a target
  double target_accuracy = 0;       // training ends when the test accuracy is this; fraction, 0: none
  bool resume = false;            // keep the state of training beside the output, and go on from it (training_state.h)
  uint32_t state_every = 1;       // epochs from one state to the next
  absl::Duration timeout;         // a point that does nothing for so long fails; 0: the device's (TimeoutOf)
  std::string checkpoint;         // where to put the weights; empty: nowhere
  uint32_t checkpoint_batch = 0;  // the point that they are trained at; 0: the first one
};

struct SweepPlan {
  c10::Device device = c10::Device(c10::kCPU);
  proto::SweepSpec spec;
  Ladder ladder;
  uint32_t checkpoint_batch = 0;  // 0: no checkpoint
};

// What can be refused before the data set is read. InvalidArgument: flags that are missing, unknown, or contradict each
// other.
absl::Status CheckSweepOptions(const TrainSweepOptions& options);

// How each point is trained on `device`; the same in the parent and in its children. `options` passed
// CheckSweepOptions.
proto::TrainingSpec MakeTrainingSpec(const TrainSweepOptions& options, c10::Device device);

// Where --resume keeps the state of a point's training.
std::string StatePath(const TrainSweepOptions& options, uint32_t batch_size);

// Epochs from one evaluation to the next; 0: after the last one only.
uint32_t EvaluateEvery(const TrainSweepOptions& options);

// How long a point may get nothing done, of wall time (lib/base/stall_watch.h). On a GPU two minutes where nothing else is
// said: its longest wait is one look of 64 steps. For ever on a CPU, where a step of a large batch may take as long.
absl::Duration TimeoutOf(const TrainSweepOptions& options, c10::Device device);

// The plan for a data set. Builds the model once, to count it. InvalidArgument: a model, a rate or a batch that cannot
// be, or a place for a state that is no regular file. Unavailable: no such device. FailedPrecondition: a test accuracy
// is wanted of a data set without test images.
absl::StatusOr<SweepPlan> PlanSweep(const TrainSweepOptions& options, const Dataset& dataset);

// What a probe of --find_max does instead: one epoch at a constant rate, nothing evaluated or kept.
TrainSweepOptions ProbeOptions(TrainSweepOptions options);

// Everything that can change the result, for the cache key. --output, --force and the like stay out; so does what the
// header holds anyway.
std::map<std::string, std::string> ResultFlags(const TrainSweepOptions& options, const SweepPlan& plan);

// The plan in words, several lines, each ended. Times are not foretold: nothing was measured yet.
std::string PlanText(const SweepPlan& plan);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_SWEEP_PLAN_H_
