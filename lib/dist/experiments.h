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

// The points of spec.experiment, row by row, each row's seeds together. In `spec` batch_size is the global batch, ranks
// one number, and training settled. The "longer" rows of LARGE_BATCH make as many updates as the first batch's row: 1,955
// of 50,000 images where that is 128, in five epochs.
//
//   LARGE_BATCH     the first batch as it is; each other batch as it is, with each remedy, with all of them, and longer:
//                   as it is, and with all
//   SAMPLER_EPOCH   with the epoch number, and without
//   WHAT_IS_SENT    gradients only, running statistics broadcast, batch norm over all ranks
//
// InvalidArgument: more than one number of ranks, no seed, no such row in `rows` (empty: all), or as PlanPoints.
absl::StatusOr<std::vector<proto::ScalePoint>> PlanExperiment(const proto::ScaleSpec& spec,
                                                              const std::vector<std::string>& rows, uint64_t images);

// The table of an experiment's points: a line a row, with mean and range over its seeds; several lines, each ended.
std::string ExperimentTable(const proto::ScaleSpec& spec, const std::vector<proto::ScalePoint>& points);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_EXPERIMENTS_H_
