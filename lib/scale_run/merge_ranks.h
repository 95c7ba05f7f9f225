// Merges the measurements of the ranks of a point into one ScalePoint.
#ifndef LOCKSTEP_LIB_SCALE_RUN_MERGE_RANKS_H_
#define LOCKSTEP_LIB_SCALE_RUN_MERGE_RANKS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// Merges the points. `points[r]` must be the point of rank r, with one RankFacts.
// - Times: the largest over the ranks, epoch by epoch.
// - Images and padding: the sum over the ranks.
// - RankFacts: a list.
// - Values that are equal on all ranks (batches, steps, losses, accuracies, sum check) and values reported by one rank
//   (buckets, step parts): rank 0's.
// - Values that no rank knows alone, such as collective_wait_seconds: from a comparison step by step (step_figures.h).
//
// Internal: no ranks; no timed epoch, unless the target accuracy was reached before the first one; ranks with different
// numbers of epochs or steps; or a value that no record may hold. The error names the rank.
absl::StatusOr<proto::ScalePoint> MergeRanks(const std::vector<proto::ScalePoint>& points);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALE_RUN_MERGE_RANKS_H_
