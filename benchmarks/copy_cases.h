// Copies from GPU to GPU of one host, as cases of gpu_all_reduce_benchmark: each pair of ranks alone, and all at once.
#ifndef LOCKSTEP_BENCHMARKS_COPY_CASES_H_
#define LOCKSTEP_BENCHMARKS_COPY_CASES_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "benchmarks/gpu_collective_cases.h"

namespace lockstep {

// Returns 0, 1, ... ranks - 1.
std::vector<int> AllRanks(int ranks);

// Queues a copy between GPUs.
absl::Status CopyBetweenGpus(uint8_t* to, const uint8_t* from, size_t bytes, cudaStream_t stream);

// Returns the cases of the collective "peer_to_peer"; no cases if the ranks are on several hosts.
std::vector<CollectiveCase> CopyCases(GpuBackends& backends, size_t max_bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_COPY_CASES_H_
