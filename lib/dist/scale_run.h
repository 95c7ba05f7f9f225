// The stage scale_run: a data set to the times of one model on 1 to N devices, with what communication costs.
//
// Each point (ranks, batch, reduction) runs in fresh processes of this program, one per rank (lib/dist/launch.h), so a
// point that fails leaves the finished ones as they are, in OUTPUT.part; the same command then goes on where it stopped.
#ifndef LOCKSTEP_LIB_DIST_SCALE_RUN_H_
#define LOCKSTEP_LIB_DIST_SCALE_RUN_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "lib/dist/launch.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

struct ScaleRunOptions {
  std::string input;                 // dataset.rec; "-": standard input
  std::string output = "scale.rec";  // "-": standard output
  bool force = false;
  bool dry_run = false;  // print the plan, write nothing

  std::string device = "auto";            // as ResolveDevice takes it; a rank on CUDA has the GPU of its number
  std::string batch_mode = "per_device";  // or "global"
  uint32_t epochs = 0;                    // in all, the first one being the warm-up; 0: 1 + repeats
  uint32_t repeats = 0;                   // timed epochs; 0: epochs - 1, or 5 when `epochs` is 0 too

  // ranks, batch_size, overlap, first_bucket_bytes, bucket_bytes, buffers and timeout_seconds are taken from here, and of
  // training model, learning_rate (0: DefaultLearningRate), momentum, weight_decay, seed, augment, drop_last,
  // loader_workers, threads (of each rank; 0: ThreadsPerRank) and deterministic. The stage fills the rest.
  proto::ScaleSpec spec;
};

// The whole run, or "cached" on stderr when the output holds it already.
//
// InvalidArgument: flags that cannot be, among them a batch larger than a rank's share. Unavailable: fewer GPUs than ranks,
// or a rank that died or fell silent, by number. ResourceExhausted: a rank ran out of memory. Aborted: the sum check failed.
// NotFound, DataLoss, FailedPrecondition: the input. Cancelled: a stop signal.
absl::Status RunScaleRun(const ScaleRunOptions& options);

// What main runs in a rank (IsRank) in place of all else.
const std::map<std::string, RankTask>& ScaleRunTasks();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_SCALE_RUN_H_
