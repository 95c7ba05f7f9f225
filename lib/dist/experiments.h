// The experiments of scale_run: which points each is made of, and the table that they give. Knows nothing of LibTorch.
//
// A point of an experiment belongs to a row and has a TrainingSpec of its own, complete. Rows are trained with several
// seeds; what is missing of them, as after a stop, is missing in the table and said there.
#ifndef LOCKSTEP_LIB_DIST_EXPERIMENTS_H_
#define LOCKSTEP_LIB_DIST_EXPERIMENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// What the lab trains, and an experiment that is asked for neither --epochs nor --repeats.
inline constexpr uint32_t kLabEpochs = 5;

struct ExperimentPlan {
  std::vector<proto::ScalePoint> points;  // row by row, each row's seeds together
  std::vector<std::string> left_out;      // a line for each row that cannot be trained here, or changes nothing: why
};

// Plans the points of spec.experiment. In `spec` batch_size must be the global batch, ranks one number, and training
// settled.
//
//   LARGE_BATCH     Base rows: the first batch as it is ("128"); with the schedule of the rows with all remedies ("128,
//                   cosine"); for as many epochs as the longer rows ("128, longer"); and both ("128, cosine, longer").
//                   Rows of each other batch: as it is, with each remedy, with all of them, and longer: as it is, and
//                   with all. "Longer" rows make as many updates as the first row: 1,760 of 45,000 images where its
//                   batch is 128, in five epochs. So each row has a base row of the same schedule and epochs.
//   SAMPLER_EPOCH   with the epoch number, and without
//   WHAT_IS_SENT    gradients only, running statistics broadcast, batch norm over all ranks
//
// Ghost batch norm counts over the largest divisor of a rank's batch that is at most 128; a row that it has no use for,
// or whose remedy changes nothing, is left out.
//
// Returns InvalidArgumentError for more than one number of ranks, no seed, a batch smaller than the first, a name in
// `rows` (empty: all) of no row or of one that is left out, and as PlanPoints.
absl::StatusOr<ExperimentPlan> PlanExperiment(const proto::ScaleSpec& spec, const std::vector<std::string>& rows,
                                              uint64_t images);

// The table of an experiment's points: a line a row, with mean and range over its seeds; several lines, each ended.
std::string ExperimentTable(const proto::ScaleSpec& spec, const std::vector<proto::ScalePoint>& points);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_EXPERIMENTS_H_
