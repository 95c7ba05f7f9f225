// SIGINT and SIGTERM as a flag that long loops ask, so that what is complete can be kept.
#ifndef LOCKSTEP_LIB_BASE_STOP_SIGNAL_H_
#define LOCKSTEP_LIB_BASE_STOP_SIGNAL_H_

#include "absl/status/status.h"

namespace lockstep {

// From now on the first SIGINT or SIGTERM only sets the flag; one that comes a second later or more ends the process at
// once. One that comes sooner is the same stop: Slurm sends two at its time limit. Call once, in main.
void InstallStopSignals();

// Whether a stop was asked for. Any thread.
bool StopRequested();

// SIGINT or SIGTERM when one was caught, else 0.
int StopSignal();

// OK, or Cancelled("stopped by SIGINT") for a loop to return.
absl::Status CheckNotStopped();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_STOP_SIGNAL_H_
