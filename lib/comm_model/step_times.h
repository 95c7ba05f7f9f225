// What the step-time curve and the overlap model say of the runs that there are.
#ifndef LOCKSTEP_LIB_COMM_MODEL_STEP_TIMES_H_
#define LOCKSTEP_LIB_COMM_MODEL_STEP_TIMES_H_

#include <vector>

#include "lib/comm_model/inputs.h"
#include "lib/prediction/all_reduce_time.h"
#include "lib/prediction/scaling_times.h"

namespace lockstep {

// The curve of each input, judged by the spec. Inputs without one have no points and the reason.
std::vector<proto::StepTimeModel> DescribeStepTimes(const std::vector<ScalingTimes>& all, const proto::ModelSpec& spec);

// Sets modelled_exposed_seconds of every row of several devices: absent, with the reason, where buckets or link are not
// known. `times` are those of the rows' own scale record.
void FillModelledExposed(const ScalingTimes& times, const std::vector<AllReduceCurve>& curves, double confidence,
                         std::vector<proto::ScalingRow>& rows);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_STEP_TIMES_H_
