// Runs in which scale_run's flags have an effect. A flag that is not listed has an effect in every run, or its value is
// refused.
#ifndef LOCKSTEP_LIB_SCALE_RUN_SCALE_FLAG_USES_H_
#define LOCKSTEP_LIB_SCALE_RUN_SCALE_FLAG_USES_H_

#include <vector>

#include "lib/base/given_flags.h"
#include "lib/scale_run/scale_run_options.h"

namespace lockstep {

// Returns the flags that have an effect only in combination with other flags. If there are several variants
// (point_variants.h), an effect in one of them is enough.
std::vector<FlagUse> ScaleFlagUses(const ScaleRunOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALE_RUN_SCALE_FLAG_USES_H_
