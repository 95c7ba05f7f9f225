#include "lib/launch/pulse.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "absl/time/clock.h"

namespace lockstep {

Pulse::Pulse(std::vector<AgentChannel*> channels, absl::Duration timeout) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // what the thread inherits
  thread_ = std::thread([this, channels = std::move(channels), timeout] {
    while (!done_) {
      for (AgentChannel* channel : channels) {
        channel->Beat();
      }
      absl::SleepFor(std::min(timeout / (2 * kBeatsPerTimeout), absl::Milliseconds(200)));
    }
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Pulse::~Pulse() {
  done_ = true;
  thread_.join();
}

}  // namespace lockstep
