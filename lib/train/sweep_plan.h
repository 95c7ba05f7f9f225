// What a sweep will do: checked and settled before anything is trained, and handed out point by point.
#ifndef LOCKSTEP_LIB_TRAIN_SWEEP_PLAN_H_
#define LOCKSTEP_LIB_TRAIN_SWEEP_PLAN_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/dataset/dataset.h"
#include "lib/proto/sweep.pb.h"
#include "lib/train/ladder.h"
#include "lib/train/sweep_options.h"

namespace lockstep {

struct SweepPlan {
  c10::Device device = c10::Device(c10::kCPU);
  proto::SweepSpec spec;  // complete
  Ladder ladder;
  uint32_t checkpoint_batch = 0;  // 0: no checkpoint
  std::string dataset_path;       // where the process of a point finds the data set
  std::string dataset_sha256;     // SHA-256 of the file that was planned for
};

// How long a point may get nothing done, of wall time (lib/base/stall_watch.h). On a GPU two minutes where nothing else is
// said: its longest wait is one look of 64 steps. For ever on a CPU, where a step of a large batch may take as long.
absl::Duration TimeoutOf(const TrainSweepOptions& options, c10::Device device);

// The plan for a data set. Builds the model once, to count it. InvalidArgument: a model, a rate or a batch that cannot
// be, or a place for a state that is no regular file. Unavailable: no such device, or too few threads to be had. FailedPrecondition: a test accuracy
// is wanted of a data set without test images.
absl::StatusOr<SweepPlan> PlanSweep(const TrainSweepOptions& options, const Dataset& dataset);

// What the process of one planned point is asked for; of a probe of --find_max, which is one epoch at a constant rate,
// nothing evaluated or kept.
proto::PointOrder MakePointOrder(const TrainSweepOptions& options, const SweepPlan& plan, uint32_t batch_size);
proto::PointOrder MakeProbeOrder(const TrainSweepOptions& options, const SweepPlan& plan, uint32_t batch_size);

// Everything that can change the result, for the cache key. --output, --force and the like stay out; so does what the
// header holds anyway.
std::map<std::string, std::string> ResultFlags(const TrainSweepOptions& options, const SweepPlan& plan);

// The plan in words, several lines, each ended. Times are not foretold: nothing was measured yet.
std::string PlanText(const SweepPlan& plan);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_SWEEP_PLAN_H_
