// A rank of gpu_all_reduce_benchmark: calls, checks and times each collective, way by way and size by size.
#ifndef LOCKSTEP_BENCHMARKS_GPU_COLLECTIVE_RANK_H_
#define LOCKSTEP_BENCHMARKS_GPU_COLLECTIVE_RANK_H_

#include <string>

#include "absl/status/statusor.h"
#include "lib/launch/launch.h"

namespace lockstep {

// Runs the rank's task (PayloadOf in collective_rows.h), and returns its rows as text (TextOf). Returns
// InvalidArgumentError if sums over so many ranks cannot be checked (MaxTerm).
absl::StatusOr<std::string> MeasureCollectives(RankContext& context);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_GPU_COLLECTIVE_RANK_H_
