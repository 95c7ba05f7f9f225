// Conditions under which train_sweep's flags have an effect. A flag that is not listed acts in every run, or is refused
// by its value.
#ifndef LOCKSTEP_LIB_TRAIN_SWEEP_FLAG_USES_H_
#define LOCKSTEP_LIB_TRAIN_SWEEP_FLAG_USES_H_

#include <string>
#include <vector>

#include "lib/base/given_flags.h"
#include "lib/train/sweep_options.h"

namespace lockstep {

// Returns the flags that have an effect only together with other flags.
std::vector<FlagUse> SweepFlagUses(const TrainSweepOptions& options);

// Returns those of SweepFlagUses' flags that scale_run has, too. `any_fused`: at least one requested way to train uses
// --step=fused. `all_resident`: every one has the data set in GPU memory.
std::vector<FlagUse> TrainingFlagUses(const proto::TrainingSpec& training, bool resume, const std::string& checkpoint,
                                      bool any_fused, bool all_resident);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_SWEEP_FLAG_USES_H_
