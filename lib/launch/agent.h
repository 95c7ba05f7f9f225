// A process that an outside launcher started and that does not lead: it starts the ranks that the leader asks for, and
// says how they ended (lib/launch/world.h).
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
  // `leader` leads to the leader, which knows the same `secret`; `hello` describes this process.
  Agent(SecureSocket leader, const RunSecret& secret, const proto::AgentHello& hello, absl::Duration timeout)
      : channel_(std::move(leader), timeout), secret_(secret), hello_(hello) {}

  // Serves the leader until it says that the run is over. Unavailable: the leader is gone, or silent for the timeout.
  // Cancelled: a stop signal, and the leader did not say in time how the run ended. No rank of this process is left.
  absl::StatusOr<proto::AgentVerdict> Run();

 private:
  // Hears the leader, and tells it what it should know: that this process lives, or was told to stop.
  void Tick();

  // Starts the rank of `order_`, waits for its end, and tells the leader.
  absl::Status RunRank();

  AgentChannel channel_;
  const RunSecret secret_;
  const proto::AgentHello hello_;
  std::unique_ptr<proto::AgentOrder> order_;      // null: nothing to do
  std::unique_ptr<proto::AgentVerdict> verdict_;  // null: the run goes on
  bool end_rank_ = false;
  absl::Status leader_;  // not OK: it is lost
  MonotonicTime leave_at_ = MonotonicTime::InfiniteFuture();
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_AGENT_H_
