#include "lib/scaling/virtual_hosts_text.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/host_topology.h"

namespace lockstep {

std::string VirtualHostsText(const proto::ScaleSpec& spec) {
  std::vector<std::string> hosts;
  for (const uint32_t host : spec.virtual_host()) {
    hosts.push_back(absl::StrCat(host));
  }
  return hosts.empty() ? "" : HostTopology(hosts).Describe("virtual host");
}

}  // namespace lockstep
