// The processes that an outside launcher started, as the leader sees them. One process a rank; the one of rank 0 leads:
// it alone plans, writes, and says what is to be done. The others are agents (lib/launch/agent.h). None computes, and none
// holds a GPU: for each point the first N start a rank each, in a process of its own, as LaunchRanks does on one host. So
// a rank that runs out of memory, or dies, takes no agent with it.
#ifndef LOCKSTEP_LIB_LAUNCH_WORLD_H_
#define LOCKSTEP_LIB_LAUNCH_WORLD_H_

#include <cstdint>
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
#include "lib/launch/run_secret.h"
#include "lib/launch/tcp_socket.h"
#include "lib/proto/agent.pb.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// Data for the process that hosts the store of a point.
struct StorePlace {
  RunSecret secret;     // known to all ranks of the point
  std::string address;  // to listen at; empty: all addresses of this host
};

class World {
 public:
  // `leader` describes this process, and the agents know `secret`.
  World(const LaunchPlace& place, const RunSecret& secret, const proto::AgentHello& leader, absl::Duration timeout);

  // Waits for the agents, which come to `listener` and must prove that they know the secret. Errors as GatherMembers', and
  // Pulse::Start's. A world of one process has nobody to wait for, and needs no call.
  absl::Status Gather(TcpSocket listener);

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

  // Begins the next point, and returns what its store needs. Must be called before each RunRanks.
  StorePlace NextStore();

  // Runs a rank in each of the first place.size processes. As WorldPoint::Run. The agents derive the secret of the store
  // that NextStore returned last; `place` must hold it for the leader's own rank.
  absl::StatusOr<std::vector<ChildExit>> RunRanks(const RankEnvironment& place);

  // The signal, sent to an agent, that stopped a point; 0: none.
  int stop_signal() const { return stop_signal_; }

  // Tells every agent how the run ended, and waits a moment until they are gone.
  void Dismiss(int exit_code, const std::string& message);

 private:
  const LaunchPlace place_;
  const RunSecret secret_;
  const absl::Duration timeout_;
  std::vector<Member> members_;
  std::unique_ptr<Pulse> pulse_;
  uint64_t point_ = 0;  // the last that was begun
  int stop_signal_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_WORLD_H_
