// Check and times of one case of gpu_all_reduce_benchmark on a rank.
#ifndef LOCKSTEP_BENCHMARKS_MEASURE_COLLECTIVE_H_
#define LOCKSTEP_BENCHMARKS_MEASURE_COLLECTIVE_H_

#include <ATen/core/Tensor.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "benchmarks/gpu_collective_backends.h"
#include "benchmarks/gpu_collective_cases.h"
#include "lib/launch/launch.h"

namespace lockstep {

struct CollectiveMeasurement {
  int64_t wrong = 0;            // number of wrong elements on this rank after the first call
  double eager_seconds = 0;     // seconds per call when launched one by one, median
  std::vector<double> replays;  // seconds per call in a graph, one value per replay
};

// All ranks must make the same calls in the same order. Not thread-safe.
class CollectiveTimer {
 public:
  // `context` and `backends` must outlive the timer.
  static absl::StatusOr<std::unique_ptr<CollectiveTimer>> Make(RankContext& context, GpuBackends& backends);
  ~CollectiveTimer();
  CollectiveTimer(const CollectiveTimer&) = delete;
  CollectiveTimer& operator=(const CollectiveTimer&) = delete;

  // Checks the first call, then times calls. Errors are those of the call, of CUDA and of the backends.
  absl::StatusOr<CollectiveMeasurement> Measure(const CollectiveCase& made);

  // Returns the bytes per second to the next rank while the previous rank sends to this one; 0 if the ranks are on
  // several hosts. Sends at most `max_bytes` at once.
  absl::StatusOr<double> LinkRate(size_t max_bytes);

 private:
  CollectiveTimer(RankContext& context, GpuBackends& backends) : context_(context), backends_(backends) {}

  // Returns the seconds of a call, from the time at which all ranks are ready.
  absl::StatusOr<double> Seconds(const std::function<absl::Status()>& call, cudaStream_t stream);

  // Returns a number of calls per graph that takes about kGraphSeconds, the same on all ranks.
  absl::StatusOr<int> AgreeOnCalls(const std::function<absl::Status()>& call, int timed, cudaStream_t stream);

  // Fills the data: this rank's terms in the case's inputs, NaN everywhere else.
  void Fill(const CollectiveCase& made, at::Tensor& data);

  // Returns the number of wrong elements, and of bytes after the data that were written.
  int64_t CountWrong(const CollectiveCase& made, const at::Tensor& data);

  RankContext& context_;
  GpuBackends& backends_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_MEASURE_COLLECTIVE_H_
