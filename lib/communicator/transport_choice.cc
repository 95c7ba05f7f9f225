#include "lib/communicator/transport_choice.h"

#include "absl/strings/str_cat.h"

namespace lockstep {

TransportChoice ChooseTransport(const HostTopology& hosts) {
  if (hosts.hosts() == 1) {
    return {Transport::kSharedMemory, ""};
  }
  if (hosts.hosts() == hosts.ranks()) {
    return {Transport::kGloo, ""};
  }
  if (!hosts.IsUniform()) {
    return {Transport::kGloo,
            absl::StrCat("shared memory within hosts needs equally many ranks on each, found ", hosts.Describe())};
  }
  return {Transport::kHierarchical, ""};
}

}  // namespace lockstep
