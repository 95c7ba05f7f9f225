// Splits a scale record into one record per way to train: only points that are trained alike are explained together.
#ifndef LOCKSTEP_LIB_SCALING_SCALE_PARTS_H_
#define LOCKSTEP_LIB_SCALING_SCALE_PARTS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "lib/scaling/base_cases.h"

namespace lockstep {

// Returns the parts in the order in which the points first name their settings; each has a spec with its settings, and
// its own points. At a batch without plain training of one device, a part gets the plain point of another part with the
// same step as its base case. Rows of an experiment are in no part. If there are several parts, the path of each names
// its settings: "scale.rec (DDP, fast preset)". A record without points is one part. FailedPrecondition: no spec.
absl::StatusOr<std::vector<ScaleRecords>> SplitScaleRecords(const ScaleRecords& scale);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_SCALE_PARTS_H_
