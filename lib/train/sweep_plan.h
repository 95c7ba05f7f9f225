// Plan of a sweep: checked and completed before anything is trained, then given to the points one by one.
#ifndef LOCKSTEP_LIB_TRAIN_SWEEP_PLAN_H_
#define LOCKSTEP_LIB_TRAIN_SWEEP_PLAN_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/dataset/dataset.h"
#include "lib/proto/sweep.pb.h"
#include "lib/train/batch_sweep.h"
#include "lib/train/initial_weights.h"
#include "lib/train/sweep_options.h"

namespace lockstep {

struct SweepPlan {
  c10::Device device = c10::Device(c10::kCPU);
  proto::SweepSpec spec;  // complete
  BatchSweep batch_sweep;
  uint32_t checkpoint_batch = 0;       // 0: no checkpoint
  std::string dataset_path;            // path from which a point's process reads the data set
  std::string dataset_sha256;          // SHA-256 of the file that the plan is for
  std::optional<InitialWeights> init;  // nullopt: weights from the seed
};

// Returns how long, in wall time, a point may make no progress (lib/base/stall_watch.h). The default on a GPU is two
// minutes: its longest wait is for 64 steps. The default on a CPU is infinite, because a step of a large batch may take
// that long.
absl::Duration TimeoutOf(const TrainSweepOptions& options, c10::Device device);

// Returns the plan for a data set. Builds the model once, to count its parameters and operations. Errors:
// - InvalidArgument: a model, rate or batch that is not possible, or a state's path that is not a regular file.
// - Unavailable: no such device, or too few threads left.
// - FailedPrecondition: test accuracy is requested, but the data set has no test images; or the initial weights are of
//   another network.
// - NotFound, DataLoss: the file of the initial weights.
absl::StatusOr<SweepPlan> PlanSweep(const TrainSweepOptions& options, const Dataset& dataset);

// Returns the order for the process of one planned point, or of one probe of --find_max. A probe trains one epoch at a
// constant rate, and evaluates and keeps nothing.
proto::PointOrder MakePointOrder(const TrainSweepOptions& options, const SweepPlan& plan, uint32_t batch_size);
proto::PointOrder MakeProbeOrder(const TrainSweepOptions& options, const SweepPlan& plan, uint32_t batch_size);

// Returns everything that can change the result of a point, for the cache key. Excludes --output, --force and the like,
// and what the header holds anyway.
std::map<std::string, std::string> ResultFlags(const TrainSweepOptions& options, const SweepPlan& plan);

// Returns the names of the planned points, and what else depends on their choice, for the header (provenance.h).
std::vector<std::string> PointNames(const SweepPlan& plan);
std::map<std::string, std::string> PointFlags(const SweepPlan& plan);

// Returns the plan as text of several lines, each with its newline. Contains no times, because nothing has been
// measured yet.
std::string PlanText(const SweepPlan& plan);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_SWEEP_PLAN_H_
