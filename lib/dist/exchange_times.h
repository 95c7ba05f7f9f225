// A step of the hand-written kind whose gradients are exchanged, as a step of buckets (overlap_timing.h). Knows nothing
// of CUDA.
#ifndef LOCKSTEP_LIB_DIST_EXCHANGE_TIMES_H_
#define LOCKSTEP_LIB_DIST_EXCHANGE_TIMES_H_

#include "lib/dist/overlap_timing.h"
#include "lib/train/exchange_steps.h"

namespace lockstep {

// A range is a bucket. The sums of one communicator run one after another: each begins when its range is ready and the
// sum before it has ended. `sent`: whether there were sums; else buckets have no begin and no end.
StepTimes TimesOf(const ExchangeStep& step, bool sent);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_EXCHANGE_TIMES_H_
