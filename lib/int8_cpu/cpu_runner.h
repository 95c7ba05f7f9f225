// Adapter of CpuNetwork to the interface of replays and predictions (lib/int8/replay.h).
#ifndef LOCKSTEP_LIB_INT8_CPU_CPU_RUNNER_H_
#define LOCKSTEP_LIB_INT8_CPU_CPU_RUNNER_H_

#include "lib/int8/replay.h"
#include "lib/int8_cpu/isa.h"

namespace lockstep {

// Returns a function that makes runners, with the errors of CpuNetwork::Make.
MakeIntegerRunner CpuRunner(Isa isa, int threads);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_CPU_RUNNER_H_
