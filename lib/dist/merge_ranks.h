// What the ranks of a point measured, each for itself, as one ScalePoint.
#ifndef LOCKSTEP_LIB_DIST_MERGE_RANKS_H_
#define LOCKSTEP_LIB_DIST_MERGE_RANKS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// `points[r]` is rank r's, with one RankFacts in it. Times become the largest over the ranks, epoch by epoch; images and
// padding are summed; facts are listed; what is the same on all ranks (batches, steps, losses, accuracies, sum check) and
// what is told of one (buckets, parts of a step) is rank 0's. What no rank knows alone, as collective_wait_seconds,
// follows from a comparison step by step (step_figures.h). Internal: no ranks, no timed epoch unless the wanted accuracy
// came before one, ranks that measured different numbers of epochs or steps, or a value that no record may hold; the error
// names the rank.
absl::StatusOr<proto::ScalePoint> MergeRanks(const std::vector<proto::ScalePoint>& points);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_MERGE_RANKS_H_
