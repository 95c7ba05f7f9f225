// What each process of the world is told of its rank in a point.
#ifndef LOCKSTEP_LIB_LAUNCH_AGENT_ORDER_H_
#define LOCKSTEP_LIB_LAUNCH_AGENT_ORDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/launch/member.h"
#include "lib/launch/rank_environment.h"
#include "lib/launch/run_secret.h"
#include "lib/proto/agent.pb.h"

namespace lockstep {

// Order for one of `members`. `place` is the same for all ranks: size, the store's port, task, payload, timeout. `point`
// counts the points of the world, from 1.
proto::AgentOrder OrderFor(const Member& member, const RankEnvironment& place, uint64_t point,
                           const std::vector<Member>& members);

// The whole place of rank 0, which the leader starts itself.
RankEnvironment LeadersRank(const RankEnvironment& place, const std::vector<Member>& members);

// Secret of the store of a world's point, which each process derives by itself: it is in no message.
RunSecret StoreSecret(const RunSecret& world, uint64_t point);

// Address that the store of a point must listen at so that all of `members` reach it: the loopback device's if all are on
// one host, else that of this host at which the others found it; empty, which is all addresses, if that is not the same
// for all of them.
std::string StoreAddress(const std::vector<Member>& members);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_AGENT_ORDER_H_
