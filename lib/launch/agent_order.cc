#include "lib/launch/agent_order.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "lib/launch/loopback.h"
#include "lib/launch/tcp_address.h"

namespace lockstep {
namespace {

// Returns the address of this host for its own ranks. If all ranks are on one host, it is the loopback address.
std::string StoreHost(const std::vector<Member>& members) {
  for (const Member& member : members) {
    if (!member.remote_address.empty()) {
      return LocalAddress(member.channel->socket().fd());
    }
  }
  return kLoopback;
}

// Returns the number of ranks below `ranks` on the host of `member`, but at least its local rank + 1: a launcher may
// number the processes of a host in another order than those of the world.
int LocalSize(const std::vector<Member>& members, int ranks, const Member& member) {
  const auto count = std::count_if(members.begin(), members.begin() + ranks,
                                   [&](const Member& other) { return other.remote_address == member.remote_address; });
  return std::max(static_cast<int>(count), static_cast<int>(member.description.local_rank()) + 1);
}

}  // namespace

proto::AgentOrder OrderFor(const Member& member, const RankEnvironment& place, uint64_t point,
                           const std::vector<Member>& members) {
  proto::AgentOrder order;
  order.set_size(static_cast<uint32_t>(place.size));
  order.set_local_size(static_cast<uint32_t>(LocalSize(members, place.size, member)));
  order.set_store_host(member.remote_address.empty() ? StoreHost(members) : "");
  order.set_store_port(place.port);
  order.set_task(place.task);
  order.set_payload(place.payload);
  order.set_timeout_seconds(absl::ToDoubleSeconds(place.timeout));
  order.set_point(point);
  return order;
}

RankEnvironment RankZeroEnvironment(const RankEnvironment& place, const std::vector<Member>& members) {
  RankEnvironment own = place;
  own.rank = 0;
  own.local_rank = static_cast<int>(members[0].description.local_rank());
  own.local_size = LocalSize(members, place.size, members[0]);
  own.host = StoreHost(members);
  return own;
}

RunSecret StoreSecret(const RunSecret& world, uint64_t point) { return world.Derive(absl::StrCat("store ", point)); }

std::string StoreAddress(const std::vector<Member>& members) {
  std::set<std::string> found_at;
  for (const Member& member : members) {
    if (!member.remote_address.empty()) {
      found_at.insert(LocalAddress(member.channel->socket().fd()));
    }
  }
  return found_at.empty() ? kLoopback : found_at.size() == 1 ? *found_at.begin() : "";
}

}  // namespace lockstep
