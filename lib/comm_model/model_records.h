// Models that comm_model fits and evaluates, as records: fits of all-reduces, laws of scaling, curves of step times,
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
  std::vector<AllReduceCurve> curves;  // curves of accepted fits, one per number of ranks
};

// Fits each combination of file, ranks and placement that has at least two sizes: the files of --all_reduce, and the
// scale record if its points hold several sizes. A rejected fit is in `fits` with its reason, and in no curve. If
// several fits of the same number of ranks are accepted, the curve is the one in place, because the reducer works in
// place. Errors as ParseNcclTests'.
absl::StatusOr<FittedAllReduces> FitAllReduces(const CommModelInputs& inputs);

// Fits the three laws of lib/scaling/scaling_law.h for each input and batch, and for all batches of an input together
// if there are several. The law with the smallest leave-one-out error comes first. The throughput is the images of an
// epoch over its seconds. Laws for which there are too few points are included, with the reason in `refused` and
// without parameters.
absl::StatusOr<std::vector<proto::ScalingLawFit>> FitLaws(const std::vector<ScalingTimes>& all, double confidence);

// Returns the times of published tables, with their speed-ups over the table's times of one device. Means of epochs
// have Student's interval at `confidence`.
std::vector<proto::PublishedTime> DescribePublishedTimes(const std::vector<ScalingTimes>& all, double confidence);

// Returns the curve of each input, judged by the spec. Inputs without a curve have no points and a reason.
std::vector<proto::StepTimeModel> DescribeStepTimes(const std::vector<ScalingTimes>& all, const proto::ModelSpec& spec);

// Sets modelled_exposed_seconds of every row of several devices; absent, with the reason, if buckets or link are not
// known. `times` must be of the rows' own scale record.
void FillModelledExposed(const ScalingTimes& times, const std::vector<AllReduceCurve>& curves, double confidence,
                         std::vector<proto::ScalingRow>& rows);

// Returns the times of all inputs: of the scale record, one entry per way to train (scale_parts.h) except DataParallel,
// then of each published table. Errors as SplitScaleRecords, TimesOfRecords and TimesOfTables.
absl::StatusOr<std::vector<ScalingTimes>> AllTimes(const CommModelInputs& inputs);

// Returns the earlier predictions of --score, compared with the times of the first of `all`, the result of AllTimes;
// empty without --score. A row of --what_if becomes a prediction if the run has its number of hosts and, on several
// hosts, its exchange. FailedPrecondition: the record predicts no point of the run.
absl::StatusOr<std::vector<proto::Prediction>> ScoreEarlier(const CommModelInputs& inputs,
                                                            const std::vector<ScalingTimes>& all);

// Returns, for each input, predictions of the runs that --fit_ranks hides, compared with their measured times, and
// predictions of --predict_ranks at --predict_batch. `all` must be the result of AllTimes. Micro-benchmarks of two
// devices are used even if only the training runs of one device are.
std::vector<proto::Prediction> MakePredictions(const CommModelOptions& options, const CommModelInputs& inputs,
                                               const std::vector<ScalingTimes>& all,
                                               const std::vector<AllReduceCurve>& curves);

// Returns rows by variant, batch, devices and exchange, computed from the first input's times. A cluster without a link
// inside its hosts gets the measured link. InvalidArgument: the cluster is invalid (lib/prediction/what_if.h), its
// ranks would share a CPU in a way that was not measured (predict.h), or no exchange fits its hosts and its algorithm.
// Other errors as AllTimes and MakeWorkload.
absl::StatusOr<std::vector<proto::WhatIfRow>> MakeWhatIfRows(const CommModelOptions& options,
                                                             const CommModelInputs& inputs,
                                                             const std::vector<ScalingTimes>& all,
                                                             const std::vector<AllReduceCurve>& curves);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_MODEL_RECORDS_H_
