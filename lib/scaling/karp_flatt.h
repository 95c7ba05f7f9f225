// Karp and Flatt's serial fraction of a measured speed-up, with its interval.
//
// e = (1/S - 1/N) / (1 - 1/N) with S = mean T_1 / mean T_N (scaling.h). The interval is that of ln S by Welch's t: the
// logs of the repeats of each side are taken to be normal, each side with a variance of its own (B. Welch, Biometrika
// 34, 1947).
#ifndef LOCKSTEP_LIB_SCALING_KARP_FLATT_H_
#define LOCKSTEP_LIB_SCALING_KARP_FLATT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/statistics/statistics.h"

namespace lockstep {

struct SerialFraction {
  double value = 0;                  // negative when the speed-up is more than N
  std::optional<Interval> interval;  // empty unless both sides were measured twice or more
};

// Computes the fraction. `base_seconds`: repeats on one device with the same global batch; `seconds`: repeats on N.
// InvalidArgument: N < 2, no repeats, a time that is not above 0 and finite, a confidence outside (0, 1). Pure
// function, any thread.
absl::StatusOr<SerialFraction> KarpFlattFraction(uint32_t ranks, const std::vector<double>& base_seconds,
                                                 const std::vector<double>& seconds, double confidence);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_KARP_FLATT_H_
