// The stage scale_run: measures the training times of one model on 1 to N devices, and the cost of communication.
//
// Each point (ranks, batch, reduction) runs in new processes of this program, one per rank (lib/launch/launch.h). So a
// point that fails leaves the finished points in OUTPUT.part; the same command then continues after them.
#ifndef LOCKSTEP_LIB_SCALE_RUN_SCALE_RUN_H_
#define LOCKSTEP_LIB_SCALE_RUN_SCALE_RUN_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "lib/launch/launch.h"
#include "lib/scale_run/scale_run_options.h"

namespace lockstep {

// Runs the stage, or prints "cached" to stderr if the output holds the result already. If `world` is not null, this
// process must be its leader, and each rank is started by its own process of the world; else this process starts the
// ranks.
//
// Errors:
// - InvalidArgument: invalid flags, among them a batch larger than a rank's share, or more ranks than the world has.
// - Unavailable: fewer GPUs than ranks, or a rank that died or stopped responding, with its number.
// - Aborted: the sum check failed, or the ranks learnt different weights.
// - NotFound, DataLoss, FailedPrecondition: faults of the input.
// - Cancelled: a stop signal.
absl::Status RunScaleRun(const ScaleRunOptions& options, World* world = nullptr);

// Returns the tasks that main must run in a rank (IsRank) instead of everything else.
const std::map<std::string, RankTask>& ScaleRunTasks();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALE_RUN_SCALE_RUN_H_
