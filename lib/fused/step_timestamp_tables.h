// Device tables for the timestamps of a step (step_timestamps.h).
#ifndef LOCKSTEP_LIB_FUSED_STEP_TIMESTAMP_TABLES_H_
#define LOCKSTEP_LIB_FUSED_STEP_TIMESTAMP_TABLES_H_

#include "lib/kernels/gpu_timestamps.h"

namespace lockstep {

// A row has kStepTimestamps numbers; a row of `ranges` has kExchangeTimestamps. A table without steps records nothing.
struct StepTimestampTables {
  TimestampTable phases;
  TimestampTable ranges;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_STEP_TIMESTAMP_TABLES_H_
