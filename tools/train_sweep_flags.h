// The flags of train_sweep.
#ifndef LOCKSTEP_TOOLS_TRAIN_SWEEP_FLAGS_H_
#define LOCKSTEP_TOOLS_TRAIN_SWEEP_FLAGS_H_

#include <string>

#include "absl/flags/declare.h"
#include "absl/status/statusor.h"
#include "lib/train/sweep_options.h"

ABSL_DECLARE_FLAG(std::string, internal_point);

namespace lockstep {

// What the command line asks for. InvalidArgument: a flag by its name, also one that has no effect next to the others.
absl::StatusOr<TrainSweepOptions> TrainSweepOptionsFromFlags();

}  // namespace lockstep

#endif  // LOCKSTEP_TOOLS_TRAIN_SWEEP_FLAGS_H_
