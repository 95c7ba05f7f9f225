// Orders, by which each process of the world receives the data of its rank in a point.
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

// Returns the order for `member`, one of `members`. `place` holds the values common to all ranks: size, the store's
// port, task, payload, timeout. `point` is the number of the point in the world, from 1.
proto::AgentOrder OrderFor(const Member& member, const RankEnvironment& place, uint64_t point,
                           const std::vector<Member>& members);

// Returns the complete environment of rank 0, which the leader starts itself.
RankEnvironment RankZeroEnvironment(const RankEnvironment& place, const std::vector<Member>& members);

// Returns the secret of the store of a world's point. Each process derives it; no message contains it.
RunSecret StoreSecret(const RunSecret& world, uint64_t point);

// Returns the address at which the store of a point must listen so that all `members` can reach it: the loopback
// address if all are on one host, otherwise the address of this host to which the other hosts connected. Returns an
// empty text, which means all addresses, if they connected to different addresses.
std::string StoreAddress(const std::vector<Member>& members);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_AGENT_ORDER_H_
