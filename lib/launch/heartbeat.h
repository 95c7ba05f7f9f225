// Thread that sends heartbeats on all channels while the process is busy with other work.
#ifndef LOCKSTEP_LIB_LAUNCH_HEARTBEAT_H_
#define LOCKSTEP_LIB_LAUNCH_HEARTBEAT_H_

#include <atomic>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lib/base/start_thread.h"
#include "lib/launch/agent_channel.h"

namespace lockstep {

class Heartbeat {
 public:
  // `channels` must outlive this object.
  Heartbeat(std::vector<AgentChannel*> channels, absl::Duration timeout);
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  // Starts the thread. The thread blocks all signals, so that a signal interrupts the waits of the other threads. Must
  // be called at most once. Errors are those of ThreadGroup::Start.
  absl::Status Start();

 private:
  const std::vector<AgentChannel*> channels_;
  const absl::Duration timeout_;
  std::atomic<bool> done_{false};
  ThreadGroup thread_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_HEARTBEAT_H_
