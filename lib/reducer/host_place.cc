#include "lib/reducer/host_place.h"

#include "absl/strings/str_cat.h"
#include "lib/collectives/max_peer_ranks.h"

namespace lockstep {

HostPlace HostPlaceOf(const HostTopology& hosts, int rank) {
  HostPlace place;
  place.host = hosts.HostOf(rank);
  place.index = hosts.IndexOf(rank);
  place.host_ranks = hosts.RanksOf(place.host);
  place.counterparts = hosts.CounterpartsOf(rank);
  place.host_group = absl::StrCat("host ", place.host);
  place.counterpart_group = absl::StrCat("ranks with index ", place.index);  // short, because it is part of keys
  return place;
}

absl::Status CheckHierarchical(const HostTopology& hosts) {
  if (!hosts.IsUniform()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "--reducer=hierarchical needs equally many ranks on each host, found ", hosts.Describe(), "; give own"));
  }
  if (hosts.RanksOf(0).size() > kMaxPeerRanks) {
    return absl::FailedPreconditionError(absl::StrCat("--reducer=hierarchical supports at most ", kMaxPeerRanks,
                                                      " ranks on each host, found ", hosts.Describe(), "; give own"));
  }
  return absl::OkStatus();
}

std::string WhyNotHierarchical(const HostTopology& hosts) {
  if (hosts.hosts() == hosts.ranks()) {
    return "the ranks are on different hosts";
  }
  if (!hosts.IsUniform()) {
    return absl::StrCat("several hosts need equally many ranks on each, found ", hosts.Describe());
  }
  if (hosts.RanksOf(0).size() > kMaxPeerRanks) {
    return absl::StrCat("copies between GPUs support at most ", kMaxPeerRanks, " ranks on each host");
  }
  return "";
}

}  // namespace lockstep
