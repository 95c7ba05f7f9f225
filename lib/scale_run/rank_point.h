// Runs one rank's part of one point of a scaling run: it joins the other ranks, trains, and measures itself.
#ifndef LOCKSTEP_LIB_SCALE_RUN_RANK_POINT_H_
#define LOCKSTEP_LIB_SCALE_RUN_RANK_POINT_H_

#include "absl/status/statusor.h"
#include "lib/launch/launch.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// Trains the warm-up and timed epochs of spec.training on this rank's shards and returns this rank's measurements, for
// MergeRanks. All ranks of the point must call it. The ranks wait for each other before each epoch, outside the timed
// part.
//
// After an error the function does not return: it ends the process with the error (EndRank), and destroys nothing that
// may wait for the other ranks. Errors:
// - Aborted: the sum check of the first reduced step failed, or the ranks' weights differ.
// - Unavailable: a rank is lost, or there is no device for this rank.
// - ResourceExhausted: out of memory.
// - Cancelled: a stop signal.
// - Other errors are those of the data set or the model.
//
// For fault tests: if the environment has LOCKSTEP_TEST_DIE_AT="RANK:STEP", that rank kills itself (SIGKILL) before it
// joins the others (step 0) or before the backward pass of that step (the first is 1).
absl::StatusOr<proto::ScalePoint> RunRankPoint(RankContext& context, const proto::RankOrder& order);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALE_RUN_RANK_POINT_H_
