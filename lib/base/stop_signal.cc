#include "lib/base/stop_signal.h"

#include <signal.h>
#include <time.h>

#include <csignal>
#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lib/base/inherited_signals.h"

namespace lockstep {
namespace {

constexpr int64_t kSameStopNanoseconds = 1'000'000'000;

volatile std::sig_atomic_t g_signal = 0;  // first stop signal caught; 0: none
volatile int64_t g_first = 0;             // time of the first signal in ns; valid once g_signal is set

int64_t Nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Calls only async-signal-safe functions. A raised signal stays pending until the handler returns.
void OnSignal(int signal_number) {
  if (g_signal == 0) {
    g_first = Nanoseconds();
    g_signal = signal_number;
  } else if (Nanoseconds() - g_first >= kSameStopNanoseconds) {
    signal(signal_number, SIG_DFL);
    raise(signal_number);
  }
}

bool IsIgnored(int signal_number) {
  struct sigaction action;
  return sigaction(signal_number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

void InstallStopSignals() {
  struct sigaction action;
  std::memset(&action, 0, sizeof(action));
  action.sa_handler = OnSignal;
  action.sa_flags = 0;  // no SA_RESTART: a blocking wait returns with EINTR
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    if (signal_number == SIGTERM || !IsIgnored(signal_number)) {
      sigaction(signal_number, &action, nullptr);
    }
  }
  ResetInheritedSignals();
}

bool StopRequested() { return g_signal != 0; }

int StopSignal() { return g_signal; }

absl::string_view StopSignalName(int signal_number) {
  return signal_number == SIGTERM ? "SIGTERM" : signal_number == SIGHUP ? "SIGHUP" : "SIGINT";
}

absl::Status CheckNotStopped() {
  if (!StopRequested()) {
    return absl::OkStatus();
  }
  return absl::CancelledError(absl::StrCat("stopped by ", StopSignalName(g_signal)));
}

}  // namespace lockstep
