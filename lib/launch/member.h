// One process of the world, in the leader's view.
#ifndef LOCKSTEP_LIB_LAUNCH_MEMBER_H_
#define LOCKSTEP_LIB_LAUNCH_MEMBER_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "lib/launch/agent_channel.h"
#include "lib/proto/agent.pb.h"

namespace lockstep {

struct Member {
  std::unique_ptr<AgentChannel> channel;  // connection to the process; null: the leader itself
  proto::ProcessDescription description;
  std::string remote_address;  // address of the process's host, seen by the leader; empty: the leader's own host
  absl::Status lost;           // reason why the process is lost; OK: it is not
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_MEMBER_H_
