// Where a step notes the GPU's clock (step_marks.h): on the device.
#ifndef LOCKSTEP_LIB_FUSED_STEP_MARK_TABLES_H_
#define LOCKSTEP_LIB_FUSED_STEP_MARK_TABLES_H_

#include "lib/kernels/clock_mark.h"

namespace lockstep {

// A row has kStepMarks numbers, and of `ranges` kExchangeMarks. A table without steps: nothing is noted there.
struct StepMarkTables {
  ClockMarks seams;
  ClockMarks ranges;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_STEP_MARK_TABLES_H_
