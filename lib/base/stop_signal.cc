#include "lib/base/stop_signal.h"

#include <csignal>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

volatile std::sig_atomic_t g_signal = 0;

void OnSignal(int signal_number) { g_signal = signal_number; }

}  // namespace

void InstallStopSignals() {
  struct sigaction action;
  std::memset(&action, 0, sizeof(action));
  action.sa_handler = OnSignal;
  // SA_RESETHAND gives the second signal its default action. No SA_RESTART: a blocking wait returns with EINTR.
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool StopRequested() { return g_signal != 0; }

int StopSignal() { return g_signal; }

absl::Status CheckNotStopped() {
  if (!StopRequested()) {
    return absl::OkStatus();
  }
  return absl::CancelledError(absl::StrCat("stopped by ", g_signal == SIGTERM ? "SIGTERM" : "SIGINT"));
}

}  // namespace lockstep
