// Virtual hosts: LOCKSTEP_HOST_OF_RANK=0,0,1,1 divides the ranks of one machine into hosts that share no memory, so
// that a run over several hosts can be tested and studied there. Times over virtual hosts are not times of a network.
#ifndef LOCKSTEP_LIB_LAUNCH_VIRTUAL_HOSTS_H_
#define LOCKSTEP_LIB_LAUNCH_VIRTUAL_HOSTS_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/launch/environment_reader.h"

namespace lockstep {

inline constexpr char kHostOfRankVariable[] = "LOCKSTEP_HOST_OF_RANK";

// Returns the virtual host of each rank; empty if the variable is not set. Returns InvalidArgumentError unless it is a
// list of numbers 0 to H - 1, each used.
absl::StatusOr<std::vector<int>> ReadHostOfRank(const EnvironmentLookup& lookup);

// Returns InvalidArgumentError unless `host_of_rank` is empty or has one number for each of `ranks` ranks.
absl::Status CheckHostOfRank(const std::vector<int>& host_of_rank, size_t ranks);

// Puts this process on the virtual host of `rank`, if the variable is set, by SetVirtualHost.
// Errors are those of ReadHostOfRank; also InvalidArgumentError if there are fewer numbers than `ranks` ranks. More are
// allowed, because a point may use the first ranks of a run.
absl::Status JoinVirtualHost(const EnvironmentLookup& lookup, int rank, int ranks);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_VIRTUAL_HOSTS_H_
