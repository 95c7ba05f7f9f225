// Cases that gpu_all_reduce_benchmark measures: a collective of one size, in one way.
#ifndef LOCKSTEP_BENCHMARKS_GPU_COLLECTIVE_CASES_H_
#define LOCKSTEP_BENCHMARKS_GPU_COLLECTIVE_CASES_H_

#include <ATen/core/Tensor.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "benchmarks/gpu_collective_backends.h"
#include "lib/peer/rank_share.h"

namespace lockstep {

inline constexpr size_t kMinCollectiveBytes = 1 << 10;

// Elements that must be the sum of the terms of these ranks.
struct ExpectedSum {
  ShareRange where;
  std::vector<int> ranks;
};

// Call that is measured for a row.
struct CollectiveCase {
  std::string collective, way;  // same values as in CollectiveTimes (lib/proto/collective_times.proto)
  size_t size_bytes = 0;        // size as in CollectiveTimes
  size_t moved_bytes = 0;       // bytes that the bandwidth counts
  double bus_factor = 1;        // busbw / algbw, from nccl-tests
  uint8_t* memory = nullptr;    // memory of the data
  size_t count = 0;             // number of elements of the data
  // Queues the call on `stream`, which is also LibTorch's current stream.
  std::function<absl::Status(const at::Tensor& data, cudaStream_t stream)> call;
  std::vector<ShareRange> inputs;  // elements that this rank contributes; the other elements are only written
  std::vector<ExpectedSum> expected;
  int timed = 0;  // rank whose times count
};

// Returns the cases of a collective, the same on all ranks in the same order. `backends` must outlive the cases.
// Returns no peer_to_peer cases if the ranks are on several hosts.
std::vector<CollectiveCase> CasesOf(GpuBackends& backends, const std::string& collective, size_t max_bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_GPU_COLLECTIVE_CASES_H_
