// Measured times of an all-reduce by message size, from the JSON of our own benchmarks: benchmarks/all_reduce_benchmark on
// CPUs and benchmarks/gpu_all_reduce_benchmark, with --benchmark_out=FILE.
#ifndef LOCKSTEP_LIB_COLLECTIVES_BENCHMARK_POINTS_H_
#define LOCKSTEP_LIB_COLLECTIVES_BENCHMARK_POINTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/collectives/all_reduce_points.h"

namespace lockstep {

// Whether a text is of Google Benchmark, which names its rows so; whether it can be read is not said.
bool IsGoogleBenchmark(absl::string_view text);

// A point for each size and way: "nccl, bf16", "one_shot, float", "shared memory", "gloo", all in place. A row that is
// repeated adds a sample; aggregates and rows of other benchmarks are passed over. `path` is for messages only. DataLoss,
// naming the row: not JSON, a row that failed, without ranks, size or time, with wrong elements, or whose bandwidths
// contradict its time; no row of an all-reduce.
absl::StatusOr<std::vector<AllReducePoint>> ParseAllReduceBenchmark(absl::string_view text, const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COLLECTIVES_BENCHMARK_POINTS_H_
