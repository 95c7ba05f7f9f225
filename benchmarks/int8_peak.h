// The largest rate of multiply-accumulates that an instruction set's own instruction reaches on this CPU, now.
#ifndef LOCKSTEP_BENCHMARKS_INT8_PEAK_H_
#define LOCKSTEP_BENCHMARKS_INT8_PEAK_H_

#include "lib/int8_cpu/isa.h"

namespace lockstep {

// In operations a second, two for a multiply-accumulate, on one thread: the fastest of some short loops that do nothing
// else, on sums in registers. `isa` must be supported by this CPU. kPortable: pmaddwd of 128 bits on x86-64, smlal on Arm, which
// every such CPU has.
double MeasurePeakInt8Operations(Isa isa);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_INT8_PEAK_H_
