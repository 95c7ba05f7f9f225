// Task and result of the ranks of gpu_all_reduce_benchmark, and their texts.
#ifndef LOCKSTEP_BENCHMARKS_COLLECTIVE_ROWS_H_
#define LOCKSTEP_BENCHMARKS_COLLECTIVE_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/peer/all_reduce_crossovers.h"

namespace lockstep {

inline constexpr char kPeerToPeer[] = "peer_to_peer";
inline constexpr char kCounterparts[] = "counterparts";

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

// Parses the payload of a rank. Returns InvalidArgumentError if it is not a text of PayloadOf.
absl::StatusOr<CollectiveTask> ParsePayload(const std::string& payload);

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
  uint32_t hosts = 0;                 // number of hosts of the ranks, real or virtual
  double link_bytes_per_second = 0;   // 0: not measured, because the ranks are on several hosts
  std::vector<std::string> left_out;  // ways without rows, each with the reason
  std::vector<CollectiveRow> rows;    // the same on all ranks, in the same order
};

// Returns the number of ranks that take part in each of the row's calls: one of each host among counterparts, else all
// `ranks`.
inline uint32_t RanksOfACall(const CollectiveRow& row, uint32_t ranks, uint32_t hosts) {
  return row.way == kCounterparts ? hosts : ranks;
}

// Returns the result of a rank as text. Names of collectives and ways must not contain spaces.
std::string TextOf(const CollectiveRows& rows);

// Parses such a text. Returns InternalError if it is not a text of TextOf.
absl::StatusOr<CollectiveRows> ParseCollectiveRows(const std::string& text);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_COLLECTIVE_ROWS_H_
