#include "benchmarks/int8_peak.h"

#include <algorithm>
#include <chrono>

#include "benchmarks/int8_peak_probe.h"

namespace lockstep {
namespace {

constexpr int kRepeats = 40;

}  // namespace

double MeasurePeakInt8Operations(Isa isa) {
  const PeakProbe probe = PeakProbeFor(isa);
  double best = 0;
  for (int i = 0; i < kRepeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    probe.loop();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best = std::max(best, 2 * probe.macs * kPeakLoops / seconds);
  }
  return best;
}

}  // namespace lockstep
