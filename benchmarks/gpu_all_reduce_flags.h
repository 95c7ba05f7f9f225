// Flags of gpu_all_reduce_benchmark.
#ifndef LOCKSTEP_BENCHMARKS_GPU_ALL_REDUCE_FLAGS_H_
#define LOCKSTEP_BENCHMARKS_GPU_ALL_REDUCE_FLAGS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/launch/launched_run.h"

namespace lockstep {

struct GpuAllReduceOptions {
  int ranks = 0;  // 0: all GPUs of this machine, or all processes of the launcher
  size_t max_bytes = 0;
  std::vector<std::string> types, collectives;
  std::string record, crossovers;  // paths; empty: no file
  LaunchedRunOptions launch;
};

// Removes these flags from argv and returns their values. Returns InvalidArgumentError if a value is wrong.
absl::StatusOr<GpuAllReduceOptions> TakeGpuAllReduceOptions(const char* tool, int& argc, char** argv);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_GPU_ALL_REDUCE_FLAGS_H_
