// How long a launch takes on the GPU when launches follow one another without gaps: inside a captured CUDA graph, as a
// training step runs them. Launched one by one, kernels of some 10 microseconds would be timed with the host between
// them.
#ifndef LOCKSTEP_LIB_KERNELS_GRAPH_TIMER_H_
#define LOCKSTEP_LIB_KERNELS_GRAPH_TIMER_H_

#include <cuda_runtime.h>

#include <functional>
#include <limits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lockstep {

// Microseconds of one call of `launch`, which launches on `stream` and does nothing else on the GPU: once by itself,
// then 5 in a graph; of 3 replays, after one that is not timed, the fastest. The inputs stay where they are, so small
// ones are read from the L2 cache, as they partly are in a step.
//
// A launch that by itself, once loaded, takes longer than `hopeless_microseconds`, or than 2 milliseconds, is not
// repeated: that time is returned. Alone it is up to some 10 microseconds longer than in a graph.
//
// `stream` may be neither the default stream, which cannot be captured, nor one that is being captured. An error is
// that of `launch` or CUDA's; the runtime's last error is cleared and the capture ended.
absl::StatusOr<double> MicrosecondsInGraph(cudaStream_t stream, const std::function<absl::Status()>& launch,
                                           double hopeless_microseconds = std::numeric_limits<double>::infinity());

// Whoever takes longer than this alone is not the fastest in a graph, where another one takes `best_microseconds`
// (infinity: none so far). A launch of 3 microseconds takes 10 to 27 alone. Without a bound planning ResNet-18 in fp32
// took about a minute at 512 images on an H200.
inline double HopelessMicroseconds(double best_microseconds) { return 3 * best_microseconds + 50; }

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_GRAPH_TIMER_H_
