// What one rank does for one point of a scaling run: it joins the others, trains, and measures itself.
#ifndef LOCKSTEP_LIB_DIST_RANK_POINT_H_
#define LOCKSTEP_LIB_DIST_RANK_POINT_H_

#include "absl/status/statusor.h"
#include "lib/launch/launch.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// Trains spec.training's warm-up and timed epochs on this rank's shards and returns what this rank measured, for
// MergeRanks. All ranks of the point run it. Before each epoch they meet, untimed.
//
// After an error it does not return: the rank ends with it (EndRank), and destroys nothing that may wait for the others.
// Aborted: the sum check of the first reduced step failed. Unavailable: a rank is lost, or there is no device for this one.
// ResourceExhausted: out of memory. Cancelled: a stop signal. Others are the data set's or the model's.
//
// For tests of faults: with LOCKSTEP_TEST_DIE_AT="RANK:STEP" in the environment that rank kills itself (SIGKILL) before it
// joins the others (step 0) or before the backward pass of that step (the first is 1).
absl::StatusOr<proto::ScalePoint> RunRankPoint(RankContext& context, const proto::RankOrder& order);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_RANK_POINT_H_
