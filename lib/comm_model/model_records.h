// The models that comm_model fits and asks, as records: fits of all-reduces, laws of scaling, curves of step times,
// predictions, and the answers of --what_if.
#ifndef LOCKSTEP_LIB_COMM_MODEL_MODEL_RECORDS_H_
#define LOCKSTEP_LIB_COMM_MODEL_MODEL_RECORDS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "lib/comm_model/inputs.h"
#include "lib/prediction/all_reduce_time.h"
#include "lib/prediction/scaling_times.h"

namespace lockstep {

struct FittedAllReduces {
  std::vector<proto::AllReduceFit> fits;
  std::vector<AllReduceCurve> curves;  // of the accepted ones, one for each number of ranks
};

// One fit for each file, ranks and placement with at least two sizes: those of --all_reduce, and the scale record's,
// where its points hold several sizes. A rejected fit is in `fits` with its reason and in no curve. Of several accepted
// ones of as many ranks the one in place is the curve, as the reducer works in place. Errors as ParseNcclTests'.
absl::StatusOr<FittedAllReduces> FitAllReduces(const CommModelInputs& inputs);

// The three laws of lib/scaling/scaling_law.h for each input and batch, and for all its batches together where there are
// several; the best by its leave-one-out error first. The throughput is images of an epoch over its seconds. Laws that
// the points do not suffice for are there too, `refused` with the reason and without parameters.
absl::StatusOr<std::vector<proto::ScalingLawFit>> FitLaws(const std::vector<ScalingTimes>& all, double confidence);

// The curve of each input, judged by the spec. Inputs without one have no points and the reason.
std::vector<proto::StepTimeModel> DescribeStepTimes(const std::vector<ScalingTimes>& all, const proto::ModelSpec& spec);

// Sets modelled_exposed_seconds of every row of several devices: absent, with the reason, where buckets or link are not
// known. `times` are those of the rows' own scale record.
void FillModelledExposed(const ScalingTimes& times, const std::vector<AllReduceCurve>& curves, double confidence,
                         std::vector<proto::ScalingRow>& rows);

// The times of all inputs: the scale record's, those of each of its ways to train (scale_parts.h) but DataParallel's,
// then those of each published table. Errors as SplitScaleRecords, TimesOfRecords and TimesOfTables.
absl::StatusOr<std::vector<ScalingTimes>> AllTimes(const CommModelInputs& inputs);

// In order: the earlier predictions of --score that the scale record answers; of each input the runs that --fit_ranks
// hides, compared with what they took; and --predict_ranks at --predict_batch. `all` is what AllTimes gave. A
// micro-benchmark of two devices is shown even where training on one alone is.
std::vector<proto::Prediction> MakePredictions(const CommModelOptions& options, const CommModelInputs& inputs,
                                               const std::vector<ScalingTimes>& all,
                                               const std::vector<AllReduceCurve>& curves);

// By variant, batch, devices. From the first of the inputs' times. A cluster without a link inside its hosts gets the
// measured one. InvalidArgument: the cluster can not be asked (lib/prediction/what_if.h). Other errors as AllTimes and
// MakeWorkload.
absl::StatusOr<std::vector<proto::WhatIfRow>> MakeWhatIfRows(const CommModelOptions& options,
                                                             const CommModelInputs& inputs,
                                                             const std::vector<ScalingTimes>& all,
                                                             const std::vector<AllReduceCurve>& curves);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_MODEL_RECORDS_H_
