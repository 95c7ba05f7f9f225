// A thread that says on each of its channels that this process lives, whatever else the process is busy with.
#ifndef LOCKSTEP_LIB_LAUNCH_PULSE_H_
#define LOCKSTEP_LIB_LAUNCH_PULSE_H_

#include <atomic>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lib/base/start_thread.h"
#include "lib/launch/agent_channel.h"

namespace lockstep {

class Pulse {
 public:
  // `channels` must outlive it.
  Pulse(std::vector<AgentChannel*> channels, absl::Duration timeout);
  ~Pulse();
  Pulse(const Pulse&) = delete;
  Pulse& operator=(const Pulse&) = delete;

  // Starts the thread. Signals go to the other threads, so that they interrupt those threads' waits. Call it once.
  // Errors are those of ThreadGroup::Start.
  absl::Status Start();

 private:
  const std::vector<AgentChannel*> channels_;
  const absl::Duration timeout_;
  std::atomic<bool> done_{false};
  ThreadGroup thread_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_PULSE_H_
