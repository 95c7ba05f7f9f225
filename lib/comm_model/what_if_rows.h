// The answers of --what_if: every batch and number of devices on the cluster as it is given, and again with one thing
// changed.
#ifndef LOCKSTEP_LIB_COMM_MODEL_WHAT_IF_ROWS_H_
#define LOCKSTEP_LIB_COMM_MODEL_WHAT_IF_ROWS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "lib/comm_model/inputs.h"
#include "lib/prediction/all_reduce_time.h"
#include "lib/prediction/scaling_times.h"

namespace lockstep {

// By variant, batch, devices. From the first of the inputs' times. A cluster without a link inside its hosts gets the
// measured one. InvalidArgument: the cluster can not be asked (lib/prediction/what_if.h). Other errors as AllTimes and
// MakeWorkload.
absl::StatusOr<std::vector<proto::WhatIfRow>> MakeWhatIfRows(const CommModelOptions& options,
                                                             const CommModelInputs& inputs,
                                                             const std::vector<ScalingTimes>& all,
                                                             const std::vector<AllReduceCurve>& curves);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_WHAT_IF_ROWS_H_
