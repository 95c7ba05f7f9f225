// What each process of the world is told of its rank in a point.
#ifndef LOCKSTEP_LIB_LAUNCH_AGENT_ORDER_H_
#define LOCKSTEP_LIB_LAUNCH_AGENT_ORDER_H_

#include <vector>

#include "lib/launch/member.h"
#include "lib/launch/rank_environment.h"
#include "lib/proto/agent.pb.h"

namespace lockstep {

// `place` is the same for all ranks: size, the store's port, task, payload, timeout. `member` is one of `members`.
proto::AgentOrder OrderFor(const Member& member, const RankEnvironment& place, const std::vector<Member>& members);

// The whole place of rank 0, which the leader starts itself.
RankEnvironment LeadersRank(const RankEnvironment& place, const std::vector<Member>& members);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_AGENT_ORDER_H_
