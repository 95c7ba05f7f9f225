// Loops of int8_peak.h: one source for each architecture.
#ifndef LOCKSTEP_BENCHMARKS_INT8_PEAK_PROBE_H_
#define LOCKSTEP_BENCHMARKS_INT8_PEAK_PROBE_H_

#include "lib/int8_cpu/isa.h"

namespace lockstep {

inline constexpr int kPeakLoops = 20'000;

struct PeakProbe {
  void (*loop)();  // kPeakLoops passes
  double macs;     // multiply-accumulates of one pass: instructions * vector elements * products
};

// This CPU must support `isa`.
PeakProbe PeakProbeFor(Isa isa);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_INT8_PEAK_PROBE_H_
