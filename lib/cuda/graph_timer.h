// Measures the time of a launch on the GPU when launches follow one another without gaps: inside a captured CUDA graph,
// as in a training step. If kernels of about 10 microseconds were launched one by one, the measurement would include
// the host's time between them.
#ifndef LOCKSTEP_LIB_CUDA_GRAPH_TIMER_H_
#define LOCKSTEP_LIB_CUDA_GRAPH_TIMER_H_

#include <cuda_runtime.h>

#include <functional>
#include <limits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lockstep {

// Returns the microseconds of one call of `launch`, which must launch on `stream` and do nothing else on the GPU. Calls
// it once alone, then 5 times in a graph, and returns the fastest of 3 replays after an untimed one. The inputs stay in
// place, so small inputs are read from the L2 cache, as some are in a step.
//
// If a launch alone, once loaded, takes longer than `hopeless_microseconds` or 2 milliseconds, it is not repeated and
// that time is returned. A launch alone takes up to about 10 microseconds longer than in a graph.
//
// `stream` must be neither the default stream, which cannot be captured, nor a stream that is being captured. Returns
// the error of `launch` or CUDA's error; the runtime's last error is then cleared and the capture ended.
absl::StatusOr<double> MicrosecondsInGraph(cudaStream_t stream, const std::function<absl::Status()>& launch,
                                           double hopeless_microseconds = std::numeric_limits<double>::infinity());

// Returns a bound for a launch alone: a launch that takes longer alone cannot be the fastest in a graph, where the best
// so far takes `best_microseconds` (infinity: no launch so far). A launch of 3 microseconds takes 10 to 27 alone.
// Without this bound, planning ResNet-18 in fp32 took about a minute at 512 images on an H200.
inline double HopelessMicroseconds(double best_microseconds) { return 3 * best_microseconds + 50; }

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CUDA_GRAPH_TIMER_H_
