// What the ranks of a point tell each other before they join: that they have the same images and libraries. A path may lead
// to another file on each host, and a file may change between two points.
#ifndef LOCKSTEP_LIB_DIST_RANK_AGREEMENT_H_
#define LOCKSTEP_LIB_DIST_RANK_AGREEMENT_H_

#include <c10/core/Device.h>

#include "absl/status/status.h"
#include "lib/dataset/dataset.h"
#include "lib/launch/launch.h"

namespace lockstep {

// Every rank calls it, and has the same answer. Unavailable names the first rank that differs from rank 0, its host, and
// both values; or a rank that did not come.
absl::Status CheckRanksAgree(const RankContext& context, c10::Device device, const Dataset& dataset);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_RANK_AGREEMENT_H_
