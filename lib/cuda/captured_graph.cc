#include "lib/cuda/captured_graph.h"

#include <map>
#include <vector>

#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/redundant_edges.h"

namespace lockstep {
namespace {

// Returns a graph's nodes by two calls, as is usual in CUDA: the first returns the number, the second the nodes.
absl::StatusOr<std::vector<cudaGraphNode_t>> NodesOf(cudaGraph_t graph) {
  size_t count = 0;
  RETURN_IF_ERROR(CudaStatus(cudaGraphGetNodes(graph, nullptr, &count), "counting a graph's nodes"));
  std::vector<cudaGraphNode_t> nodes(count);
  RETURN_IF_ERROR(CudaStatus(cudaGraphGetNodes(graph, nodes.data(), &count), "reading a graph's nodes"));
  return nodes;
}

struct Edges {
  explicit Edges(size_t count) : from(count), to(count), data(count) {}

  std::vector<cudaGraphNode_t> from, to;
  std::vector<cudaGraphEdgeData> data;
};

absl::StatusOr<Edges> EdgesOf(cudaGraph_t graph) {
  size_t count = 0;
  RETURN_IF_ERROR(CudaStatus(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count), "counting a graph's edges"));
  Edges edges(count);
  RETURN_IF_ERROR(CudaStatus(cudaGraphGetEdges(graph, edges.from.data(), edges.to.data(), edges.data.data(), &count),
                             "reading a graph's edges"));
  return edges;
}

// Returns whether the edge is an ordinary one. An edge of another kind, by which a launch begins before the previous
// launch has ended, is not a full dependency.
bool IsWhole(const cudaGraphEdgeData& data) {
  return data.type == cudaGraphDependencyTypeDefault && data.from_port == 0 && data.to_port == 0;
}

struct DestroyCapture {
  void operator()(cudaGraph_t graph) const { (void)cudaGraphDestroy(graph); }
};
using Capture = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, DestroyCapture>;

absl::StatusOr<Capture> CaptureLaunches(cudaStream_t stream, const std::function<absl::Status()>& launch) {
  RETURN_IF_ERROR(CudaStatus(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin a capture"));
  const absl::Status launched = launch();
  cudaGraph_t graph = nullptr;
  const absl::Status ended = CudaStatus(cudaStreamEndCapture(stream, &graph), "end a capture");
  Capture capture(graph);
  RETURN_IF_ERROR(launched);
  RETURN_IF_ERROR(ended);
  return capture;
}

}  // namespace

absl::StatusOr<size_t> LeaveOutRedundantEdges(cudaGraph_t graph) {
  ASSIGN_OR_RETURN(const std::vector<cudaGraphNode_t> nodes, NodesOf(graph));
  ASSIGN_OR_RETURN(const Edges edges, EdgesOf(graph));
  std::map<cudaGraphNode_t, uint32_t> number;
  for (const cudaGraphNode_t node : nodes) {
    number.emplace(node, static_cast<uint32_t>(number.size()));
  }
  std::vector<GraphEdge> whole;
  std::vector<size_t> place;
  for (size_t i = 0; i < edges.data.size(); ++i) {
    if (IsWhole(edges.data[i])) {
      whole.push_back({number.at(edges.from[i]), number.at(edges.to[i])});
      place.push_back(i);
    }
  }
  const std::vector<size_t> redundant = RedundantEdges(static_cast<uint32_t>(nodes.size()), whole);
  Edges out(0);
  for (const size_t edge : redundant) {
    out.from.push_back(edges.from[place[edge]]);
    out.to.push_back(edges.to[place[edge]]);
    out.data.push_back(edges.data[place[edge]]);
  }
  if (!redundant.empty()) {
    RETURN_IF_ERROR(
        CudaStatus(cudaGraphRemoveDependencies(graph, out.from.data(), out.to.data(), out.data.data(), out.from.size()),
                   "leaving out a graph's redundant edges"));
  }
  return redundant.size();
}

absl::StatusOr<CapturedGraph> CaptureGraph(cudaStream_t stream, const std::function<absl::Status()>& launch) {
  ASSIGN_OR_RETURN(const Capture capture, CaptureLaunches(stream, launch));
  if (!LeaveOutRedundantEdges(capture.get()).ok()) {
    (void)cudaGetLastError();  // the graph is slower with them, but correct
  }
  // Gives each kernel the priority of the stream on which it was captured; by default all kernels get the priority of
  // the replay's stream.
  cudaGraphExec_t executable = nullptr;
  RETURN_IF_ERROR(CudaStatus(cudaGraphInstantiate(&executable, capture.get(), cudaGraphInstantiateFlagUseNodePriority),
                             "instantiate a graph"));
  return CapturedGraph(executable);
}

absl::Status CaptureNodes(cudaStream_t stream, const std::function<absl::Status()>& launch,
                          const std::function<absl::Status(const std::vector<cudaGraphNode_t>& nodes)>& use) {
  ASSIGN_OR_RETURN(const Capture capture, CaptureLaunches(stream, launch));
  ASSIGN_OR_RETURN(const std::vector<cudaGraphNode_t> nodes, NodesOf(capture.get()));
  return use(nodes);
}

}  // namespace lockstep
