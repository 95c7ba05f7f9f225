// What scale_run is asked for: its flags, and the files that they name.
#ifndef LOCKSTEP_LIB_DIST_SCALE_RUN_OPTIONS_H_
#define LOCKSTEP_LIB_DIST_SCALE_RUN_OPTIONS_H_

#include <string>

#include "absl/status/status.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

struct ScaleRunOptions {
  std::string input;                 // dataset.rec; "-": standard input
  std::string output = "scale.rec";  // "-": standard output
  bool force = false;
  bool dry_run = false;         // print the plan, write nothing
  std::string device = "auto";  // as ResolveDevice takes it; a rank on CUDA has the GPU of its number
  std::string prediction;       // comm_model record made before this run; its digest goes among the inputs. Empty: none

  // What is asked for, in the words of the record: batch_mode, ranks, batch_size, overlap, first_bucket_bytes,
  // bucket_bytes, buffers and timeout_seconds; of its training model, learning_rate (0: DefaultLearningRate), momentum,
  // weight_decay, seed, augment, drop_last, loader_workers, threads (of each rank; 0: ThreadsPerRank), deterministic
  // and the epochs (SetEpochs). The stage fills the rest.
  proto::ScaleSpec spec;
};

// InvalidArgument: options that cannot be, whatever the data set.
absl::Status CheckScaleRunOptions(const ScaleRunOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_SCALE_RUN_OPTIONS_H_
