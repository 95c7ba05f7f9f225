// Agent: a process that an outside launcher started and that is not the leader. It starts the ranks that the leader
// orders, and reports how they ended (lib/launch/world.h).
#ifndef LOCKSTEP_LIB_LAUNCH_AGENT_H_
#define LOCKSTEP_LIB_LAUNCH_AGENT_H_

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/monotonic_time.h"
#include "lib/launch/agent_channel.h"
#include "lib/launch/run_secret.h"
#include "lib/launch/secure_socket.h"
#include "lib/proto/agent.pb.h"

namespace lockstep {

class Agent {
 public:
  // `leader` must be a connection to the leader, which must know the same `secret`. `description` must be that of this
  // process.
  Agent(SecureSocket leader, const RunSecret& secret, const proto::ProcessDescription& description,
        absl::Duration timeout)
      : channel_(std::move(leader), timeout), secret_(secret), description_(description) {}

  // Serves the leader until the run ends, and returns the leader's verdict. Returns UnavailableError if the leader is
  // gone or was silent for the timeout, and CancelledError if a stop signal came and the leader did not send its
  // verdict in time. No rank of this process runs after the call.
  absl::StatusOr<proto::AgentVerdict> Run();

 private:
  // Reads the leader's messages, and sends it a heartbeat, or the stop signal that this process received.
  void Tick();

  // Starts the rank of `order_`, waits for its end, and reports it to the leader.
  absl::Status RunRank();

  AgentChannel channel_;
  const RunSecret secret_;
  const proto::ProcessDescription description_;
  std::unique_ptr<proto::AgentOrder> order_;      // next order; null: nothing to do
  std::unique_ptr<proto::AgentVerdict> verdict_;  // verdict of the leader; null: the run continues
  bool end_rank_ = false;
  absl::Status leader_;  // status of the connection to the leader; not OK: the leader is lost
  MonotonicTime leave_at_ = MonotonicTime::InfiniteFuture();
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_AGENT_H_
