// Summary of many times: percentiles by nearest rank, which are times that were really measured.
#ifndef LOCKSTEP_LIB_TRAIN_STEP_TIMES_H_
#define LOCKSTEP_LIB_TRAIN_STEP_TIMES_H_

#include <vector>

#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Returns count, minimum, maximum and percentiles of `seconds`, in any order; an absent_reason if it is empty.
proto::StepTimes ToStepTimes(std::vector<double> seconds);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_STEP_TIMES_H_
