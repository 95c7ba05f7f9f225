// What a scaling run is to do, decided before anything is trained: the user's options against the data set and the
// machine.
#ifndef LOCKSTEP_LIB_DIST_SCALE_RUN_PLAN_H_
#define LOCKSTEP_LIB_DIST_SCALE_RUN_PLAN_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/dataset/dataset.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

struct ScaleRunOptions {
  std::string input;                 // dataset.rec; "-": standard input
  std::string output = "scale.rec";  // "-": standard output
  bool force = false;
  bool dry_run = false;    // print the plan, write nothing
  std::string prediction;  // comm_model record made before this run; its digest goes among the inputs. Empty: none

  std::string device = "auto";            // as ResolveDevice takes it; a rank on CUDA has the GPU of its number
  std::string batch_mode = "per_device";  // or "global"
  uint32_t epochs = 0;                    // in all, the first one being the warm-up; 0: 1 + repeats
  uint32_t repeats = 0;                   // timed epochs; 0: epochs - 1, or 5 when `epochs` is 0 too

  // ranks, batch_size, overlap, first_bucket_bytes, bucket_bytes, buffers and timeout_seconds are taken from here, and
  // of training model, learning_rate (0: DefaultLearningRate), momentum, weight_decay, seed, augment, drop_last,
  // loader_workers, threads (of each rank; 0: ThreadsPerRank) and deterministic. The stage fills the rest.
  proto::ScaleSpec spec;
};

struct ScaleRunPlan {
  c10::Device device = c10::Device(c10::kCPU);  // its kind; a rank has the one of its number
  proto::ScaleSpec spec;                        // complete
  std::vector<proto::ScalePoint> points;        // in the order in which they are measured: see PlanPoints
  std::string dataset_path;                     // where a rank finds the data set
};

// InvalidArgument: options that cannot be, whatever the data set.
absl::Status CheckScaleRunOptions(const ScaleRunOptions& options);

// For options that passed the check. InvalidArgument: no such model, or as PlanPoints. Unavailable: no such device, or
// fewer GPUs than ranks.
absl::StatusOr<ScaleRunPlan> MakeScaleRunPlan(const ScaleRunOptions& options, const Dataset& dataset);

// The largest number of ranks of any point.
uint32_t MaxRanks(const proto::ScaleSpec& spec);

// For a person who wants to know before it starts; several lines.
std::string PlanText(const ScaleRunPlan& plan);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_SCALE_RUN_PLAN_H_
