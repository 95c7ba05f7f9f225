// A rank of gpu_all_reduce_benchmark: calls, checks and times each collective, way by way and size by size.
#ifndef LOCKSTEP_BENCHMARKS_GPU_COLLECTIVE_RANK_H_
#define LOCKSTEP_BENCHMARKS_GPU_COLLECTIVE_RANK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/launch/launch.h"
#include "lib/peer/all_reduce_crossovers.h"

namespace lockstep {

inline constexpr size_t kMinCollectiveBytes = 1 << 10;

// Returns "all_reduce", "reduce_scatter", "all_gather", "broadcast" and "peer_to_peer".
const std::vector<std::string>& CollectiveNames();

// Task of the ranks.
struct CollectiveTask {
  std::string type;                // "bf16" or "float"
  size_t max_bytes = 0;            // bytes
  AllReduceCrossovers crossovers;  // crossovers of the way "auto"
  std::vector<std::string> collectives;
};

// Returns the payload of a rank.
std::string PayloadOf(const CollectiveTask& task);

// A row as measured by one rank.
struct CollectiveRow {
  std::string collective, way;  // same values as in CollectiveTimes (lib/proto/collective_times.proto)
  size_t size_bytes = 0;        // size as in CollectiveTimes
  size_t moved_bytes = 0;       // bytes that the bandwidth counts
  double bus_factor = 0;        // busbw / algbw, from nccl-tests
  uint64_t wrong = 0;           // number of wrong elements on this rank
  double eager_seconds = 0;     // seconds of a call launched alone; 0 on a rank whose times do not count
  std::vector<double> replays;  // seconds of a call in a graph; empty on a rank whose times do not count
};

struct CollectiveRows {
  double link_bytes_per_second = 0;
  std::vector<CollectiveRow> rows;  // the same on all ranks, in the same order
};

// Parses the result of MeasureCollectives.
absl::StatusOr<CollectiveRows> ParseCollectiveRows(const std::string& text);

// Runs the rank's task.
absl::StatusOr<std::string> MeasureCollectives(RankContext& context);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_GPU_COLLECTIVE_RANK_H_
