// The runs in which scale_run's flags act. What is not listed acts in every run, or is refused by its value.
#ifndef LOCKSTEP_LIB_DIST_SCALE_FLAG_USES_H_
#define LOCKSTEP_LIB_DIST_SCALE_FLAG_USES_H_

#include <vector>

#include "lib/base/given_flags.h"
#include "lib/dist/scale_run_options.h"

namespace lockstep {

// Returns the flags that act next to others only. Of several ways to train (point_variants.h) one in which a flag acts is
// enough.
std::vector<FlagUse> ScaleFlagUses(const ScaleRunOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_SCALE_FLAG_USES_H_
