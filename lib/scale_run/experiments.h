// Experiments of scale_run: the points of each experiment, and the table of the results. Does not depend on LibTorch.
//
// A point of an experiment belongs to a row and has a complete TrainingSpec of its own. Rows are trained with several
// seeds. If seeds of a row are missing, for example after a stop, the table uses the rest and reports how many are
// there.
#ifndef LOCKSTEP_LIB_SCALE_RUN_EXPERIMENTS_H_
#define LOCKSTEP_LIB_SCALE_RUN_EXPERIMENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// Epochs of the lab's training; also the default of an experiment without --epochs and --repeats.
inline constexpr uint32_t kLabEpochs = 5;

struct ExperimentPlan {
  std::vector<proto::ScalePoint> points;  // points row by row, the seeds of a row together
  std::vector<std::string> left_out;      // a line per row that cannot be trained here or changes nothing: the reason
};

// Plans the points of spec.experiment. In `spec` batch_size must be the global batch, ranks one number, and training
// settled.
//
//   LARGE_BATCH     Base rows: the first batch as it is ("128"); with the schedule of the rows with all remedies ("128,
//                   cosine"); for as many epochs as the longer rows ("128, longer"); and both ("128, cosine, longer").
//                   Rows of each other batch: as it is; with each remedy; with all remedies; longer; and longer with
//                   all remedies. "Longer" rows make as many updates as the first row: 1,760 of 45,000 images if its
//                   batch is 128, in five epochs. So each row has a base row of the same schedule and epochs.
//   SAMPLER_EPOCH   with the epoch number, and without
//   WHAT_IS_SENT    gradients only, running statistics broadcast, batch norm over all ranks
//   OPTIMIZERS      "sgd", "nesterov", "adam", ...: each with its default learning rate
//
// Ghost batch norm computes statistics over the largest divisor of a rank's batch that is at most 128. A row is left
// out if it cannot use a remedy, or if the remedy changes nothing.
//
// Returns InvalidArgumentError for more than one number of ranks, no seed, a batch smaller than the first, a name in
// `rows` (empty: all rows) that is no row's or that of a row left out, and the errors of PlanPoints.
absl::StatusOr<ExperimentPlan> PlanExperiment(const proto::ScaleSpec& spec, const std::vector<std::string>& rows,
                                              uint64_t images);

// Returns the table of an experiment's points: one line per row, with mean and range over its seeds. Every line ends
// with a newline.
std::string ExperimentTable(const proto::ScaleSpec& spec, const std::vector<proto::ScalePoint>& points);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALE_RUN_EXPERIMENTS_H_
