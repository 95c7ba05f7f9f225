#include "lib/scale_run/planned_hosts.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace lockstep {

PlannedHosts::PlannedHosts(std::vector<std::string> addresses, std::vector<int> virtual_hosts)
    : addresses_(std::move(addresses)), virtual_hosts_(std::move(virtual_hosts)) {}

HostTopology PlannedHosts::First(uint32_t ranks) const {
  std::vector<std::string> hosts;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    const std::string address = addresses_.empty() ? "" : addresses_[rank];
    hosts.push_back(virtual_hosts_.empty() ? address : absl::StrCat(address, " ", virtual_hosts_[rank]));
  }
  return HostTopology(hosts);
}

}  // namespace lockstep
