// Peak rate of multiply-accumulates of an instruction set's own instruction on this CPU, measured now.
#ifndef LOCKSTEP_BENCHMARKS_INT8_PEAK_H_
#define LOCKSTEP_BENCHMARKS_INT8_PEAK_H_

#include "lib/int8_cpu/isa.h"

namespace lockstep {

// Returns operations per second on one thread; a multiply-accumulate counts as two. The result is the fastest of
// several short loops of that instruction only, with sums in registers. This CPU must support `isa`. kPortable: pmaddwd
// of 128 bits on x86-64, smlal on Arm, which every such CPU has.
double MeasurePeakInt8Operations(Isa isa);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_INT8_PEAK_H_
