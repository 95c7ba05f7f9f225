// Choice of the algorithm for an all-reduce over GPUs by its size: one shot up to a first crossover, two shots up to a
// second one, copies above. The crossovers are computed from measured times.
#ifndef LOCKSTEP_LIB_PEER_ALL_REDUCE_CROSSOVERS_H_
#define LOCKSTEP_LIB_PEER_ALL_REDUCE_CROSSOVERS_H_

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"

namespace lockstep {

// Algorithms: kOneShot and kTwoShots send packets (lib/peer/peer_all_reduce.h), kCopies uses copy engines
// (copied_collectives.h), kAuto selects one of these by the crossovers.
enum class AllReduceWay { kOneShot, kTwoShots, kCopies, kAuto };

inline constexpr size_t kAllReduceWays = 3;  // number of algorithms without kAuto

// Crossovers in bytes. The defaults are the result of ChooseCrossovers for two H100 in bf16 (benchmarks/README.md,
// "All-reduce").
struct AllReduceCrossovers {
  size_t max_one_shot_bytes = 2 << 20;
  size_t max_two_shots_bytes = 64 << 20;
};

// Returns the algorithm for a sum of `bytes`; never kAuto.
AllReduceWay WayOf(const AllReduceCrossovers& crossovers, size_t bytes);

// Times of one size with each algorithm.
struct MeasuredWays {
  size_t bytes = 0;
  std::array<std::optional<double>, kAllReduceWays> seconds = {};  // medians, above 0; nullopt: not measured
};

// Returns the crossovers, each a measured size or 0, that minimize the sum over all sizes of log(time of the selected
// algorithm / time of the fastest). One disturbed size therefore moves no crossover, because each algorithm changes to
// the next only once. Of equal choices, takes the higher max_one_shot_bytes, then the higher max_two_shots_bytes. Never
// selects an algorithm for a size at which it was not measured. The sizes may be in any order; a size without any time
// is ignored. Returns InvalidArgumentError if
//   - a time is not above 0 and finite,
//   - a size occurs twice,
//   - nothing was measured, or
//   - every choice would select an algorithm for a size at which it was not measured.
absl::StatusOr<AllReduceCrossovers> ChooseCrossovers(std::vector<MeasuredWays> measured);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_ALL_REDUCE_CROSSOVERS_H_
