// Measured times of an all-reduce by message size: from nccl-tests' JSON, which another machine may have written, and
// from our scale records. benchmark_points.h reads the times of our own benchmarks.
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

// Largest message size. Every size up to this one is exact in a double.
inline constexpr uint64_t kMaxMessageBytes = uint64_t{1} << 53;

// Measured times of one size on one number of ranks.
struct AllReducePoint {
  uint32_t ranks = 0;           // >= 2
  uint64_t size_bytes = 0;      // > 0, at most kMaxMessageBytes
  bool in_place = false;        // the result replaces the input
  std::vector<double> seconds;  // one per measurement, each > 0 and finite; at least one
  std::string origin;           // place in the input: "all_reduce.json, results[3].in_place", "scale record, point 2"
  std::string nccl_algorithm = {};  // values of NCCL_ALGO and NCCL_PROTO in lower case; empty: NCCL chose
  std::string nccl_protocol = {};
  std::string way = {};  // way of our own benchmarks (benchmark_points.h): "nccl, bf16", "shared memory"; empty for
                         // other sources
  uint32_t hosts = 0;    // hosts of the ranks, real or virtual; of nccl-tests, host names; 0: not known
};

// Parses all rows of a file of all_reduce_perf into one point per size and placement. Rows of a repeated size (-N) are
// samples of one point. A sample is the row's `time`; per-iteration times (-I) are another quantity and are ignored.
// `path` is used in messages only. DataLoss, naming the place:
// - the text is not JSON, or a number has another type;
// - another collective, CPU times (-C), or several groups of ranks;
// - a row with wrong elements, or without size or time. A row of 0 bytes and 0 GB/s is ignored;
// - a column that contradicts the others: alg_bw must be size / time and bus_bw alg_bw * 2(N-1)/N, within the printed
//   digits.
absl::StatusOr<std::vector<AllReducePoint>> ParseNcclTests(absl::string_view text, const std::string& path);

// Returns the isolated all-reduce of each point of a scale record that has one, in the record's order; timed in place
// (lib/communicator/all_reduce_probe). Sizes repeat if batches do. DataLoss: a time that is not above 0 and finite, or
// a size above kMaxMessageBytes.
absl::StatusOr<std::vector<AllReducePoint>> AllReducePointsOf(const RecordFile<proto::ScaleRecord>& scale);

// The functions below are shared by all readers of foreign files.

// Parses JSON into `file`, ignoring fields that `file` does not declare. DataLoss: "PATH: expected WHAT, found ...".
absl::Status ParseForeignJson(absl::string_view text, const std::string& path, absl::string_view what,
                              google::protobuf::Message& file);

// DataLoss: no time, a time that is not above 0 and finite, or wrong elements, which make the time meaningless.
absl::Status CheckMeasured(std::optional<double> microseconds, double wrong_elements);

// Returns true if NCCL ran the all-reduce with its own choice of algorithm and protocol, as in training.
bool IsNcclsChoice(const AllReducePoint& point);

// Returns the text of AllReducePoint::way for a method and an element type of our own benchmarks.
std::string WayText(absl::string_view method, absl::string_view type);

// Adds the sample's times to the point of the same ranks, hosts, size, placement and way; appends `sample` if there is
// no such point.
void AddSample(AllReducePoint sample, std::vector<AllReducePoint>& points);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COLLECTIVES_ALL_REDUCE_POINTS_H_
