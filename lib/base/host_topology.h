// Division of the ranks of a run among hosts, which may be virtual (host_identity.h).
#ifndef LOCKSTEP_LIB_BASE_HOST_TOPOLOGY_H_
#define LOCKSTEP_LIB_BASE_HOST_TOPOLOGY_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace lockstep {

class HostTopology {
 public:
  // `host_of_rank` must have one text per rank, equal for the ranks of one host. Hosts are numbered from 0 in the order
  // of their first ranks.
  explicit HostTopology(const std::vector<std::string>& host_of_rank);

  // Numbers of ranks and of hosts.
  int ranks() const { return static_cast<int>(host_of_.size()); }
  int hosts() const { return static_cast<int>(ranks_of_.size()); }

  // Return the host of a rank, and the index of a rank among the ranks of its host. `rank` must be below ranks().
  int HostOf(int rank) const { return host_of_[rank]; }
  int IndexOf(int rank) const { return index_of_[rank]; }

  // Returns the ranks of a host in ascending order. `host` must be below hosts().
  const std::vector<int>& RanksOf(int host) const { return ranks_of_[host]; }

  // Returns true if all hosts have the same number of ranks.
  bool IsUniform() const { return min_ranks_ == max_ranks_; }

  // Returns the ranks that have the index of `rank` on their hosts, in the order of hosts; `rank` is one of them. The
  // topology must be uniform.
  std::vector<int> CounterpartsOf(int rank) const;

  // Returns "1 host of 4 ranks", "2 hosts of 2 ranks" or "3 hosts of 1 to 2 ranks". `host` is the noun: "virtual host".
  std::string Describe(absl::string_view host = "host") const;

 private:
  std::vector<int> host_of_, index_of_;
  std::vector<std::vector<int>> ranks_of_;
  size_t min_ranks_ = 0, max_ranks_ = 0;  // smallest and largest number of ranks of a host
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_HOST_TOPOLOGY_H_
