// Link between hosts, from measured times of an all-reduce with one rank on each host.
#ifndef LOCKSTEP_LIB_PREDICTION_INTER_HOST_LINK_H_
#define LOCKSTEP_LIB_PREDICTION_INTER_HOST_LINK_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/collectives/all_reduce_points.h"
#include "lib/proto/cluster.pb.h"

namespace lockstep {

// Returns the latency and the bandwidth of a ring of H ranks that takes 2(H-1) * latency + 2(H-1)/H * S / bandwidth,
// such that the medians of the smallest and of the largest size are met. Used are the points with the most ranks, of
// the first way in the list that training uses (Gloo's and NCCL's own choice), in place if there are any; not those
// with several ranks on a host. `source` is the name of the file, for messages and for Link.source. FailedPrecondition:
// these points have fewer than two sizes, or their times do not grow with the size as a latency above 0 and a bandwidth
// do.
absl::StatusOr<proto::Link> InterHostLink(const std::vector<AllReducePoint>& points, const std::string& source);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_INTER_HOST_LINK_H_
