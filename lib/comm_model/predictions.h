// The predictions that comm_model is asked for, and what became of earlier ones.
#ifndef LOCKSTEP_LIB_COMM_MODEL_PREDICTIONS_H_
#define LOCKSTEP_LIB_COMM_MODEL_PREDICTIONS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "lib/comm_model/inputs.h"
#include "lib/prediction/all_reduce_time.h"
#include "lib/prediction/scaling_times.h"

namespace lockstep {

// The times of all inputs: the scale record's, then those of each published table. Errors as TimesOfRecords and
// TimesOfTables.
absl::StatusOr<std::vector<ScalingTimes>> AllTimes(const CommModelInputs& inputs);

// In order: the earlier predictions of --score that the scale record answers; of each input the runs that --fit_ranks
// hides, compared with what they took; and --predict_ranks at --predict_batch. `all` is what AllTimes gave. A
// micro-benchmark of two devices is shown even where training on one alone is.
std::vector<proto::Prediction> MakePredictions(const CommModelOptions& options, const CommModelInputs& inputs,
                                               const std::vector<ScalingTimes>& all,
                                               const std::vector<AllReduceCurve>& curves);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_PREDICTIONS_H_
