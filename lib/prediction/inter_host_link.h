// Links between hosts, from measured times of all-reduces over several hosts.
#ifndef LOCKSTEP_LIB_PREDICTION_INTER_HOST_LINK_H_
#define LOCKSTEP_LIB_PREDICTION_INTER_HOST_LINK_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/collectives/all_reduce_points.h"
#include "lib/proto/cluster.pb.h"

namespace lockstep {

// For Cluster.inter_host and Cluster.inter_host_flat.
struct InterHostLinks {
  proto::Link inter_host;
  std::optional<proto::Link> flat;  // empty: no all-reduce over several ranks of each host was measured
};

// Fits latency and bandwidth of a ring of N ranks that takes 2(N-1) * latency + 2(N-1)/N * S / bandwidth to the medians
// of all sizes, with the least squares of relative errors. inter_host: N = H, from all-reduces among counterparts, or
// with one rank on each host. flat: from those over several ranks on each of several hosts. Used are the points with
// the most ranks, of the first way in the list that training uses (Gloo's and NCCL's own choice), in place if there are
// any. `source` is the name of the file, for messages and for Link.source. FailedPrecondition: the points of inter_host
// have fewer than two sizes, or the times of a link do not grow with the size as a latency above 0 and a bandwidth do.
absl::StatusOr<InterHostLinks> FitInterHostLinks(const std::vector<AllReducePoint>& points, const std::string& source);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_INTER_HOST_LINK_H_
