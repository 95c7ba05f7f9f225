#include "lib/base/inherited_signals.h"

#include <signal.h>

#include <initializer_list>

namespace lockstep {

void ResetInheritedSignals() {
  signal(SIGCHLD, SIG_DFL);
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal_number : {SIGCHLD, SIGHUP, SIGINT, SIGTERM}) {
    sigaddset(&signals, signal_number);
  }
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

}  // namespace lockstep
