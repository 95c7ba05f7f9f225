// Conversion of a fused step whose gradients are exchanged into a step of buckets (overlap_timing.h). Does not
// depend on CUDA.
#ifndef LOCKSTEP_LIB_REDUCER_EXCHANGE_TIMES_H_
#define LOCKSTEP_LIB_REDUCER_EXCHANGE_TIMES_H_

#include "lib/reducer/overlap_timing.h"
#include "lib/train/exchange_steps.h"

namespace lockstep {

// Converts `step`; each range becomes a bucket. The sums of one communicator run one after another: each begins when
// its range is ready and the previous sum has ended.
StepTimes TimesOf(const ExchangeStep& step, AllReduces all_reduces);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REDUCER_EXCHANGE_TIMES_H_
