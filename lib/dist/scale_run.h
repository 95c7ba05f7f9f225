// The stage scale_run: a data set to the times of one model on 1 to N devices, with what communication costs.
//
// Each point (ranks, batch, reduction) runs in fresh processes of this program, one per rank (lib/launch/launch.h), so a
// point that fails leaves the finished ones as they are, in OUTPUT.part; the same command then goes on where it stopped.
#ifndef LOCKSTEP_LIB_DIST_SCALE_RUN_H_
#define LOCKSTEP_LIB_DIST_SCALE_RUN_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "lib/dist/scale_run_options.h"
#include "lib/launch/launch.h"

namespace lockstep {

// The whole run, or "cached" on stderr when the output holds it already. In a world, whose leader this process is, each
// rank is started by its own process of the world; null: this process starts them.
//
// InvalidArgument: flags that cannot be, among them a batch larger than a rank's share, or more ranks than the world has.
// Unavailable: fewer GPUs than ranks,
// or a rank that died or fell silent, by number. Aborted: the sum check failed, or the ranks learnt different weights.
// NotFound, DataLoss, FailedPrecondition: the input. Cancelled: a stop signal.
absl::Status RunScaleRun(const ScaleRunOptions& options, World* world = nullptr);

// What main runs in a rank (IsRank) in place of all else.
const std::map<std::string, RankTask>& ScaleRunTasks();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_SCALE_RUN_H_
