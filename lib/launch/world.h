// The processes that an outside launcher started, as the leader sees them. One process a rank; the one of rank 0 leads:
// it alone plans, writes, and says what is to be done. The others are agents (lib/launch/agent.h). None computes, and none
// holds a GPU: for each point the first N start a rank each, in a process of its own, as LaunchRanks does on one host. So
// a rank that runs out of memory, or dies, takes no agent with it.
#ifndef LOCKSTEP_LIB_LAUNCH_WORLD_H_
#define LOCKSTEP_LIB_LAUNCH_WORLD_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/subprocess.h"
#include "lib/launch/launch_place.h"
#include "lib/launch/member.h"
#include "lib/launch/pulse.h"
#include "lib/launch/rank_environment.h"
#include "lib/launch/tcp_socket.h"
#include "lib/proto/agent.pb.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

class World {
 public:
  // `leader` describes this process.
  World(const LaunchPlace& place, const proto::AgentHello& leader, absl::Duration timeout);

  // Waits for the agents. Errors as GatherMembers', and Pulse::Start's.
  absl::Status Gather(const TcpSocket& listener);

  size_t size() const { return members_.size(); }
  std::vector<std::string> HostNames() const;  // of each rank

  std::string OtherHosts() const;            // than the leader's, commas between them; empty: all are on one
  uint32_t RanksHere(uint32_t ranks) const;  // of the first so many, those on the leader's host

  // "torchrun: 4 ranks on HOST, HOST".
  std::string Describe() const;

  // For the record.
  proto::Launch ToProto() const;

  // InvalidArgument: more ranks than the world has. Unavailable, with `on_gpus`: a rank whose host has no GPU for it.
  absl::Status CheckRanks(uint32_t ranks, bool on_gpus) const;

  // Unavailable names a rank whose process found other images than these at --input.
  absl::Status CheckDataset(const std::string& content_sha256) const;

  // Runs a rank in each of the first place.size processes. As WorldPoint::Run.
  absl::StatusOr<std::vector<ChildExit>> RunRanks(const RankEnvironment& place);

  // The signal, sent to an agent, that stopped a point; 0: none.
  int stop_signal() const { return stop_signal_; }

  // Tells every agent how the run ended, and waits a moment until they are gone.
  void Dismiss(int exit_code, const std::string& message);

 private:
  const LaunchPlace place_;
  const absl::Duration timeout_;
  std::vector<Member> members_;
  std::unique_ptr<Pulse> pulse_;
  int stop_signal_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_WORLD_H_
