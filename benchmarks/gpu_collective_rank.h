// A rank of gpu_all_reduce_benchmark: calls each collective, way by way and size by size, checks it and times it.
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

// "all_reduce", "reduce_scatter", "all_gather", "broadcast" and "peer_to_peer".
const std::vector<std::string>& CollectiveNames();

// What the ranks are asked for.
struct CollectiveTask {
  std::string type;                // "bf16" or "float"
  size_t most = 0;                 // bytes
  AllReduceCrossovers crossovers;  // of the way "auto"
  std::vector<std::string> collectives;
};

// A rank's payload.
std::string PayloadOf(const CollectiveTask& task);

// A row, as one rank has it.
struct CollectiveRow {
  std::string collective, way;  // as in CollectiveTimes (lib/proto/collective_times.proto)
  size_t size_bytes = 0;        // likewise
  size_t moved_bytes = 0;       // that its bandwidth counts
  double bus_factor = 0;        // busbw / algbw, of nccl-tests
  uint64_t wrong = 0;           // elements, on this rank
  double eager_seconds = 0;     // of a call, launched one by one; 0 on a rank whose times do not count
  std::vector<double> replays;  // seconds of a call in a graph; none on such a rank
};

struct CollectiveRows {
  double link_bytes_per_second = 0;
  std::vector<CollectiveRow> rows;  // the same on all ranks, in the same order
};

// What MeasureCollectives returned.
absl::StatusOr<CollectiveRows> ParseCollectiveRows(const std::string& text);

// The rank's task.
absl::StatusOr<std::string> MeasureCollectives(RankContext& context);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_GPU_COLLECTIVE_RANK_H_
