// Captures the launches on a stream as a CUDA graph that can be replayed.
#ifndef LOCKSTEP_LIB_CUDA_CAPTURED_GRAPH_H_
#define LOCKSTEP_LIB_CUDA_CAPTURED_GRAPH_H_

#include <cuda_runtime.h>

#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lockstep {

struct DestroyGraph {
  void operator()(cudaGraphExec_t graph) const { (void)cudaGraphExecDestroy(graph); }
};
using CapturedGraph = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, DestroyGraph>;

// Returns the graph of everything that `launch` launches on `stream` and on streams that follow it; nothing of it runs.
// CUDA calls of other threads neither disturb the capture nor are forbidden by it. Redundant edges are removed if CUDA
// allows it (redundant_edges.h).
//
// `stream` must be neither the default stream, which cannot be captured, nor a stream that is being captured. Returns
// the error of `launch` or CUDA's error; the capture is ended in either case.
absl::StatusOr<CapturedGraph> CaptureGraph(cudaStream_t stream, const std::function<absl::Status()>& launch);

// Captures in the same way and passes the nodes to `use`; they are destroyed when `use` returns. Returns the errors
// of CaptureGraph and of `use`.
absl::Status CaptureNodes(cudaStream_t stream, const std::function<absl::Status()>& launch,
                          const std::function<absl::Status(const std::vector<cudaGraphNode_t>& nodes)>& use);

// Removes redundant edges from a graph that is not instantiated yet and returns their number. Returns an error if CUDA
// cannot change the graph's edges, for example in a graph that allocates memory; the graph then keeps all its
// dependencies.
absl::StatusOr<size_t> LeaveOutRedundantEdges(cudaGraph_t graph);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CUDA_CAPTURED_GRAPH_H_
