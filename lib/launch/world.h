// World: the processes that an outside launcher started, in the leader's view. There is one process per rank. The
// process of rank 0 is the leader: it alone plans, writes outputs and gives orders. The others are agents
// (lib/launch/agent.h). No leader or agent computes or holds a GPU: for each point, each of the first N processes
// starts one rank in a new process, like LaunchRanks on one host. A rank that runs out of memory or dies therefore does
// not end its agent.
#ifndef LOCKSTEP_LIB_LAUNCH_WORLD_H_
#define LOCKSTEP_LIB_LAUNCH_WORLD_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/subprocess.h"
#include "lib/launch/heartbeat.h"
#include "lib/launch/launch_place.h"
#include "lib/launch/member.h"
#include "lib/launch/rank_environment.h"
#include "lib/launch/run_secret.h"
#include "lib/launch/tcp_socket.h"
#include "lib/proto/agent.pb.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// Parameters of the store of a point, for the process that hosts it.
struct StoreEndpoint {
  RunSecret secret;     // secret of all ranks of the point
  std::string address;  // address to listen at; empty: all addresses of this host
};

class World {
 public:
  // `leader` describes this process. All agents must know `secret`.
  World(const LaunchPlace& place, const RunSecret& secret, const proto::ProcessDescription& leader,
        absl::Duration timeout);

  // Waits for the agents, which connect to `listener` and must prove that they know the secret. A world of one process
  // needs no call. Errors are those of GatherMembers and Heartbeat::Start.
  absl::Status Gather(TcpSocket listener);

  size_t size() const { return members_.size(); }
  std::vector<std::string> HostNames() const;  // returns the host name of each rank

  // Returns the network address of each rank's host; empty for the leader's host.
  std::vector<std::string> HostAddresses() const;

  std::string OtherHosts() const;            // returns the hosts other than the leader's, separated by commas
  uint32_t RanksHere(uint32_t ranks) const;  // returns how many of the first `ranks` ranks are on the leader's host

  // Returns "torchrun: 4 ranks on HOST, HOST".
  std::string Describe() const;

  // Returns the description of the launch for the record.
  proto::Launch ToProto() const;

  // Returns InvalidArgumentError if the world has fewer than `ranks` ranks. CheckRanksOnGpus also returns
  // UnavailableError if the host of one of these ranks has no GPU for it.
  absl::Status CheckRanks(uint32_t ranks) const;
  absl::Status CheckRanksOnGpus(uint32_t ranks) const;

  // Returns UnavailableError, with the rank, if the process of a rank found other images at --input.
  absl::Status CheckDataset(const std::string& content_sha256) const;

  // Begins the next point, and returns the parameters of its store. Must be called before each RunRanks.
  StoreEndpoint NextStore();

  // Runs a rank in each of the first place.size processes, like WorldPoint::Run. `place` must hold the secret that
  // NextStore returned last, for the leader's own rank; the agents derive it themselves.
  absl::StatusOr<std::vector<ChildExit>> RunRanks(const RankEnvironment& place);

  // Returns the stop signal, to this process or to an agent, that stopped a point; 0: no signal.
  int stop_signal() const { return stop_signal_; }

  // Sends the verdict of the run to every agent, and waits at most 2 s until all agents have ended.
  void Dismiss(int exit_code, const std::string& message);

 private:
  const LaunchPlace place_;
  const RunSecret secret_;
  const absl::Duration timeout_;
  std::vector<Member> members_;
  std::unique_ptr<Heartbeat> heartbeat_;
  uint64_t point_ = 0;  // number of the last point that was begun
  int stop_signal_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_WORLD_H_
