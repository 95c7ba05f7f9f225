// SIGINT, SIGTERM and SIGHUP as a flag that long loops ask, so that what is complete can be kept.
#ifndef LOCKSTEP_LIB_BASE_STOP_SIGNAL_H_
#define LOCKSTEP_LIB_BASE_STOP_SIGNAL_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// From now on the first SIGINT, SIGTERM or SIGHUP only sets the flag; one that comes a second later or more ends the
// process at once. One that comes sooner is the same stop: Slurm sends two at its time limit. SIGINT and SIGHUP stay
// ignored if they were: `nohup` and the shell's `&` mean it. Resets the other inherited signals
// (inherited_signals.h). Call once, in main.
void InstallStopSignals();

// Whether a stop was asked for. Any thread.
bool StopRequested();

// SIGINT, SIGTERM or SIGHUP when one was caught, else 0.
int StopSignal();

// Returns the name of one of these three, for messages: "SIGTERM".
absl::string_view StopSignalName(int signal_number);

// OK, or Cancelled("stopped by SIGINT") for a loop to return.
absl::Status CheckNotStopped();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_STOP_SIGNAL_H_
