// What the ranks of a point tell each other before they join: that they have the same images and libraries. A path may lead
// to another file on each host, and a file may change between two points.
#ifndef LOCKSTEP_LIB_DIST_RANK_AGREEMENT_H_
#define LOCKSTEP_LIB_DIST_RANK_AGREEMENT_H_

#include <c10/core/Device.h>

#include "absl/status/status.h"
#include "lib/dataset/dataset.h"
#include "lib/launch/launch.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// OK if `dataset`, which this rank has read, is the one that was planned for: the same file, or under a launcher, where
// each host may have a file of its own, a file of the same images. FailedPrecondition: it was replaced since the run began.
absl::Status CheckIsPlannedDataset(const Dataset& dataset, const proto::RankOrder& order);

// Every rank calls it, and has the same answer. Unavailable names the first rank that differs from rank 0, its host, and
// both values; or a rank that did not come.
absl::Status CheckRanksAgree(const RankContext& context, c10::Device device, const Dataset& dataset);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_RANK_AGREEMENT_H_
