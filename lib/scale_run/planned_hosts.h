// Hosts of the ranks, as the leader of a run knows them when it plans the points. The ranks find out the same together
// (lib/communicator/hierarchical_communicator.h).
#ifndef LOCKSTEP_LIB_SCALE_RUN_PLANNED_HOSTS_H_
#define LOCKSTEP_LIB_SCALE_RUN_PLANNED_HOSTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/host_topology.h"

namespace lockstep {

class PlannedHosts {
 public:
  // `addresses`: network address of each rank's host; empty: all ranks are on this host. `virtual_hosts`: virtual host
  // of each rank; empty: no virtual hosts. A list that is not empty must have an entry for each rank that First is
  // asked for.
  PlannedHosts(std::vector<std::string> addresses, std::vector<int> virtual_hosts);

  // Returns the hosts of the first `ranks` ranks.
  HostTopology First(uint32_t ranks) const;

  const std::vector<int>& virtual_hosts() const { return virtual_hosts_; }

 private:
  std::vector<std::string> addresses_;
  std::vector<int> virtual_hosts_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALE_RUN_PLANNED_HOSTS_H_
