// A thread that says on each of its channels that this process lives, whatever else the process is busy with.
#ifndef LOCKSTEP_LIB_LAUNCH_PULSE_H_
#define LOCKSTEP_LIB_LAUNCH_PULSE_H_

#include <atomic>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "lib/launch/agent_channel.h"

namespace lockstep {

class Pulse {
 public:
  // `channels` outlive it. Signals go to the other threads, whose waits they are to end.
  Pulse(std::vector<AgentChannel*> channels, absl::Duration timeout);
  ~Pulse();
  Pulse(const Pulse&) = delete;
  Pulse& operator=(const Pulse&) = delete;

 private:
  std::atomic<bool> done_{false};
  std::thread thread_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_PULSE_H_
