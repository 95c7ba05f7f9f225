// HostPlace: place of a rank in an exchange over several hosts (hierarchical_exchange.cc). Does not depend on LibTorch
// and CUDA.
#ifndef LOCKSTEP_LIB_REDUCER_HOST_PLACE_H_
#define LOCKSTEP_LIB_REDUCER_HOST_PLACE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/base/host_topology.h"

namespace lockstep {

struct HostPlace {
  int host = 0;                   // number of the rank's host, and its index among its counterparts
  int index = 0;                  // index of the rank among the ranks of its host
  std::vector<int> host_ranks;    // ranks of its host, by index
  std::vector<int> counterparts;  // ranks of the same index, by host; the rank is one of them
  std::string host_group;         // names of both groups of ranks, for the store; different for each host
  std::string counterpart_group;  // different for each index
};

// Returns the place of a rank. CheckHierarchical(hosts) must be OK, and `rank` below hosts.ranks().
HostPlace HostPlaceOf(const HostTopology& hosts, int rank);

// Returns OK if --reducer=hierarchical can be used: if all hosts have the same number of ranks, at most kMaxPeerRanks.
// One host, or one rank on each, is allowed. Returns FailedPreconditionError with the reason otherwise.
absl::Status CheckHierarchical(const HostTopology& hosts);

// Returns the reason why --reducer=auto does not choose `hierarchical` for ranks on several hosts, or an empty text. It
// also needs two ranks on each host, because one rank sends as much as in a flat all-reduce.
std::string WhyNotHierarchical(const HostTopology& hosts);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REDUCER_HOST_PLACE_H_
