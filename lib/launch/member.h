// One process of the world, as its leader knows it.
#ifndef LOCKSTEP_LIB_LAUNCH_MEMBER_H_
#define LOCKSTEP_LIB_LAUNCH_MEMBER_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "lib/launch/agent_channel.h"
#include "lib/proto/agent.pb.h"

namespace lockstep {

struct Member {
  std::unique_ptr<AgentChannel> channel;  // null: the leader itself
  proto::AgentHello hello;
  std::string remote_address;  // its host's, as the leader sees it; empty: the leader's own host
  absl::Status lost;           // why it is of no use any more
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_MEMBER_H_
