// What is launched on a stream, captured as a CUDA graph that can be replayed.
#ifndef LOCKSTEP_LIB_KERNELS_CAPTURED_GRAPH_H_
#define LOCKSTEP_LIB_KERNELS_CAPTURED_GRAPH_H_

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

// The graph of all that `launch` launches on `stream`, and on streams that follow it; none of it runs. Calls of other
// threads do not disturb the capture, nor does it forbid them any.
//
// Edges that say nothing new are left out of it (redundant_edges.h).
//
// `stream` may be neither the default stream, which cannot be captured, nor one that is being captured. An error is
// that of `launch` or CUDA's; the capture is ended.
absl::StatusOr<CapturedGraph> CaptureGraph(cudaStream_t stream, const std::function<absl::Status()>& launch);

// What was captured, as its nodes, which live as long as `look` runs. Errors as CaptureGraph's, and those of `look`.
absl::Status CaptureNodes(cudaStream_t stream, const std::function<absl::Status()>& launch,
                          const std::function<absl::Status(const std::vector<cudaGraphNode_t>& nodes)>& look);

// Returns how many edges it left out of a graph that is not instantiated yet. Where CUDA changes no edges, as in a graph
// that allocates memory, it is an error, and the graph orders all that it ordered.
absl::StatusOr<size_t> LeaveOutRedundantEdges(cudaGraph_t graph);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CAPTURED_GRAPH_H_
