// Device tables for the timestamps of a step (step_marks.h).
#ifndef LOCKSTEP_LIB_FUSED_STEP_MARK_TABLES_H_
#define LOCKSTEP_LIB_FUSED_STEP_MARK_TABLES_H_

#include "lib/kernels/clock_mark.h"

namespace lockstep {

// A row has kStepMarks numbers; a row of `ranges` has kExchangeMarks. A table without steps records nothing.
struct StepMarkTables {
  ClockMarks seams;
  ClockMarks ranges;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_STEP_MARK_TABLES_H_
