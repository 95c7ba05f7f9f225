// Which way a sum over GPUs takes, by its size: up to one size in one shot, up to another in two, above by copies. Where
// these sizes are follows from measured times.
#ifndef LOCKSTEP_LIB_PEER_ALL_REDUCE_CROSSOVERS_H_
#define LOCKSTEP_LIB_PEER_ALL_REDUCE_CROSSOVERS_H_

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"

namespace lockstep {

// The first two by packets (lib/kernels/peer_all_reduce.h), the third by copy engines (copied_collectives.h); kAuto: the one
// of these that the crossovers say.
enum class AllReduceWay { kOneShot, kTwoShots, kCopies, kAuto };

inline constexpr size_t kAllReduceWays = 3;  // without kAuto

// In bytes. The defaults are what ChooseCrossovers makes of two H100 in bf16 (benchmarks/README.md, "All-reduce").
struct AllReduceCrossovers {
  size_t max_one_shot_bytes = 2 << 20;
  size_t max_two_shots_bytes = 64 << 20;
};

// Never kAuto.
AllReduceWay WayOf(const AllReduceCrossovers& crossovers, size_t bytes);

// What a size took each way.
struct MeasuredWays {
  size_t bytes = 0;
  std::array<std::optional<double>, kAllReduceWays> seconds = {};  // medians, above 0; none: not measured
};

// The crossovers, each at a size that was measured or 0, with the least sum over the sizes of log(time of the way taken /
// time of the fastest): one size that was disturbed moves nothing, as the way goes up only once. Of equal ones those with
// the higher max_one_shot_bytes, then the higher max_two_shots_bytes. A size is never left to a way in which it was not
// measured. Sizes come in any order; one in which no way was measured is passed over. InvalidArgument: a time that is none;
// a size twice; nothing measured; or every choice leaves a size without its way.
absl::StatusOr<AllReduceCrossovers> ChooseCrossovers(std::vector<MeasuredWays> measured);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_ALL_REDUCE_CROSSOVERS_H_
