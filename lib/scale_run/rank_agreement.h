// Checks that the ranks of a point have the same images and libraries, before they join. A path may lead to a different
// file on each host, and a file may change between two points.
#ifndef LOCKSTEP_LIB_SCALE_RUN_RANK_AGREEMENT_H_
#define LOCKSTEP_LIB_SCALE_RUN_RANK_AGREEMENT_H_

#include <c10/core/Device.h>

#include "absl/status/status.h"
#include "lib/dataset/dataset.h"
#include "lib/launch/launch.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// Checks that `dataset`, which this rank has read, is the planned one: the same file; or under a launcher, where each
// host may have its own file, a file with the same images. FailedPrecondition: the file was replaced since the run
// began.
absl::Status CheckIsPlannedDataset(const Dataset& dataset, const proto::RankOrder& order);

// Compares the ranks. All ranks must call it, and all get the same result. Unavailable names the first rank that
// differs from rank 0, its host and both values, or a rank that did not come. Internal: a rank's description does not
// parse.
absl::Status CheckRanksAgree(const RankContext& context, c10::Device device, const Dataset& dataset);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALE_RUN_RANK_AGREEMENT_H_
