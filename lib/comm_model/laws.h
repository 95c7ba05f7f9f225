// Laws of scaling fitted to the inputs' throughputs, as records.
#ifndef LOCKSTEP_LIB_COMM_MODEL_LAWS_H_
#define LOCKSTEP_LIB_COMM_MODEL_LAWS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "lib/comm_model/inputs.h"
#include "lib/prediction/scaling_times.h"

namespace lockstep {

// The three laws of lib/scaling/scaling_law.h for each input and batch, and for all its batches together where there are
// several; the best by its leave-one-out error first. The throughput is images of an epoch over its seconds. Laws that
// the points do not suffice for are there too, `refused` with the reason and without parameters.
absl::StatusOr<std::vector<proto::ScalingLawFit>> FitLaws(const std::vector<ScalingTimes>& all, double confidence);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_LAWS_H_
