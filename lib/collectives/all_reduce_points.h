// Measured times of an all-reduce by message size: from nccl-tests' JSON, which somebody else's machine wrote, and from
// a scale record of ours. Those of our own benchmarks: benchmark_points.h.
#ifndef LOCKSTEP_LIB_COLLECTIVES_ALL_REDUCE_POINTS_H_
#define LOCKSTEP_LIB_COLLECTIVES_ALL_REDUCE_POINTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"
#include "lib/proto/scale.pb.h"
#include "lib/record/record_reader.h"

namespace lockstep {

// No message is larger: up to here every size is exact in a double too.
inline constexpr uint64_t kMaxMessageBytes = uint64_t{1} << 53;

// One size on one number of ranks.
struct AllReducePoint {
  uint32_t ranks = 0;           // >= 2
  uint64_t size_bytes = 0;      // > 0, at most kMaxMessageBytes
  bool in_place = false;        // the result replaces the input
  std::vector<double> seconds;  // one a measurement, each > 0 and finite; at least one
  std::string origin;           // where it stands: "all_reduce.json, results[3].in_place", "scale record, point 2"
  std::string nccl_algorithm =
      {};  // as NCCL_ALGO and NCCL_PROTO told NCCL, in small letters; empty: it chose by itself
  std::string nccl_protocol = {};
  std::string way = {};  // of our own benchmarks (benchmark_points.h): "nccl, bf16", "shared memory"; else empty
};

// All rows of a file of all_reduce_perf, one point a size and placement; rows of a repeated size (-N) are samples of
// one point. A sample is the row's `time`; per-iteration times (-I) are another quantity and are passed over. `path` is
// for messages only. DataLoss, naming the place: not JSON, a number of another type, another collective, a row with
// wrong elements or without size or time, CPU times (-C), several groups of ranks, and a column that contradicts the
// others: alg_bw is size / time, bus_bw is alg_bw * 2(N-1)/N, within what was printed.
absl::StatusOr<std::vector<AllReducePoint>> ParseNcclTests(absl::string_view text, const std::string& path);

// The isolated all-reduce of each point of a scale record that has one, in the record's order; timed in place
// (lib/dist/all_reduce_probe). Sizes repeat when batches do. DataLoss: a time that is no time, or a size beyond
// kMaxMessageBytes.
absl::StatusOr<std::vector<AllReducePoint>> AllReducePointsOf(const RecordFile<proto::ScaleRecord>& scale);

// What each reader of a foreign file does with it and with its rows.

// JSON of any fields, of which `file` has those that are read. DataLoss: "PATH: expected WHAT, found ...".
absl::Status ParseForeignJson(absl::string_view text, const std::string& path, absl::string_view what,
                              google::protobuf::Message& file);

// DataLoss: no time, one that is no time, or wrong elements, whose time means nothing.
absl::Status CheckMeasured(std::optional<double> microseconds, double wrong_elements);

// Adds the sample's times to the point of the same ranks, size, placement and way, or makes it one.
void AddSample(AllReducePoint sample, std::vector<AllReducePoint>& points);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COLLECTIVES_ALL_REDUCE_POINTS_H_
