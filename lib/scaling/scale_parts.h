// A scale record as several, one for each way to train: only points that are trained alike are explained together.
#ifndef LOCKSTEP_LIB_SCALING_SCALE_PARTS_H_
#define LOCKSTEP_LIB_SCALING_SCALE_PARTS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "lib/scaling/base_cases.h"

namespace lockstep {

// In the order in which the points name their ways; each has a spec that says how, and its own points. At a batch without
// plain training of one device it gets the plain point of a part with the same step, which is its base case. Rows of an
// experiment are in no part. The path of each of several parts says which it is: "scale.rec (DDP, fast preset)". A record
// without points is one part. FailedPrecondition: no spec.
absl::StatusOr<std::vector<ScaleRecords>> SplitScaleRecords(const ScaleRecords& scale);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_SCALE_PARTS_H_
