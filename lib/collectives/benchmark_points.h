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

// Returns true if the text contains the key of Google Benchmark's rows. The text may still be malformed.
bool IsGoogleBenchmark(absl::string_view text);

// Returns one point per size and way: "nccl, bf16", "one_shot, float", "shared memory", "gloo", all in place. A
// repeated row adds a sample; aggregates and rows of other benchmarks are ignored. `path` is used in messages only.
// DataLoss, naming the row: not JSON; a row that failed, that lacks ranks, size or time, that has wrong elements, or
// whose bandwidths contradict its time; no row of an all-reduce.
absl::StatusOr<std::vector<AllReducePoint>> ParseAllReduceBenchmark(absl::string_view text, const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COLLECTIVES_BENCHMARK_POINTS_H_
