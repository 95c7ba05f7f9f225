// SIGINT, SIGTERM and SIGHUP as a flag that long loops check, so that complete results can be kept.
#ifndef LOCKSTEP_LIB_BASE_STOP_SIGNAL_H_
#define LOCKSTEP_LIB_BASE_STOP_SIGNAL_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Installs the signal handlers. The first SIGINT, SIGTERM or SIGHUP then only sets the flag. A further signal within
// one second is ignored, because Slurm sends two at its time limit; a later one ends the process at once. SIGINT and
// SIGHUP stay ignored if they were ignored, as `nohup` and the shell's `&` intend. Also resets the inherited signal
// state (inherited_signals.h). Must be called once, in main.
void InstallStopSignals();

// Returns true if a stop signal was caught. Thread-safe.
bool StopRequested();

// Returns SIGINT, SIGTERM or SIGHUP if it was caught (the first one), otherwise 0.
int StopSignal();

// Returns the name of a stop signal for messages: "SIGTERM".
absl::string_view StopSignalName(int signal_number);

// Returns CancelledError("stopped by SIGINT") if a stop signal was caught, for a loop to return.
absl::Status CheckNotStopped();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_STOP_SIGNAL_H_
