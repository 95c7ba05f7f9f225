// Flags of train_sweep.
#ifndef LOCKSTEP_TOOLS_TRAIN_SWEEP_FLAGS_H_
#define LOCKSTEP_TOOLS_TRAIN_SWEEP_FLAGS_H_

#include <string>

#include "absl/flags/declare.h"
#include "absl/status/statusor.h"
#include "lib/train/sweep_options.h"

ABSL_DECLARE_FLAG(std::string, internal_point);

namespace lockstep {

// Returns the options on the command line. InvalidArgument, naming the flag: an invalid value, or a flag that has no
// effect together with the others.
absl::StatusOr<TrainSweepOptions> TrainSweepOptionsFromFlags();

}  // namespace lockstep

#endif  // LOCKSTEP_TOOLS_TRAIN_SWEEP_FLAGS_H_
