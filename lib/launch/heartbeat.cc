#include "lib/launch/heartbeat.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "absl/time/clock.h"

namespace lockstep {

Heartbeat::Heartbeat(std::vector<AgentChannel*> channels, absl::Duration timeout)
    : channels_(std::move(channels)), timeout_(timeout) {}

absl::Status Heartbeat::Start() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the thread inherits this mask
  absl::Status started = thread_.Start([this] {
    while (!done_) {
      for (AgentChannel* channel : channels_) {
        channel->SendHeartbeat();
      }
      absl::SleepFor(std::min(timeout_ / (2 * kHeartbeatsPerTimeout), absl::Milliseconds(200)));
    }
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

Heartbeat::~Heartbeat() {
  done_ = true;
  thread_.Join();
}

}  // namespace lockstep
