#include "lib/kernels/graph_timer.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <type_traits>

#include "lib/base/status_macros.h"
#include "lib/kernels/cuda_status.h"

namespace lockstep {
namespace {

constexpr int kLaunches = 5;
constexpr int kReplays = 3;

struct Destroy {
  void operator()(cudaGraph_t graph) const { (void)cudaGraphDestroy(graph); }
  void operator()(cudaGraphExec_t graph) const { (void)cudaGraphExecDestroy(graph); }
  void operator()(cudaEvent_t event) const { (void)cudaEventDestroy(event); }
};
template <typename Handle>  // a pointer
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy>;

absl::StatusOr<Owned<cudaEvent_t>> MakeEvent() {
  cudaEvent_t event = nullptr;
  RETURN_IF_ERROR(CudaStatus(cudaEventCreate(&event), "make an event"));
  return Owned<cudaEvent_t>(event);
}

// Calls of other threads do not disturb the capture, nor does it forbid them any.
absl::StatusOr<Owned<cudaGraphExec_t>> Capture(cudaStream_t stream, const std::function<absl::Status()>& launch) {
  RETURN_IF_ERROR(CudaStatus(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin a capture"));
  absl::Status launched;
  for (int i = 0; i < kLaunches && launched.ok(); ++i) {
    launched = launch();
  }
  cudaGraph_t raw_graph = nullptr;
  const absl::Status ended = CudaStatus(cudaStreamEndCapture(stream, &raw_graph), "end a capture");
  const Owned<cudaGraph_t> graph(raw_graph);
  RETURN_IF_ERROR(launched);
  RETURN_IF_ERROR(ended);
  cudaGraphExec_t executable = nullptr;
  RETURN_IF_ERROR(CudaStatus(cudaGraphInstantiate(&executable, graph.get(), 0), "instantiate a graph"));
  return Owned<cudaGraphExec_t>(executable);
}

// All replays are in the stream before the first has ended, so that none waits for the host.
absl::StatusOr<double> Replay(cudaStream_t stream, cudaGraphExec_t graph) {
  std::array<Owned<cudaEvent_t>, kReplays + 1> events;
  for (Owned<cudaEvent_t>& event : events) {
    ASSIGN_OR_RETURN(event, MakeEvent());
    RETURN_IF_ERROR(CudaStatus(cudaGraphLaunch(graph, stream), "launch a graph"));
    RETURN_IF_ERROR(CudaStatus(cudaEventRecord(event.get(), stream), "record an event"));
  }
  RETURN_IF_ERROR(CudaStatus(cudaStreamSynchronize(stream), "wait for a graph"));
  double fastest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kReplays; ++i) {
    float milliseconds = 0;
    RETURN_IF_ERROR(CudaStatus(cudaEventElapsedTime(&milliseconds, events[i].get(), events[i + 1].get()),
                               "read the time of a graph"));
    fastest = std::min(fastest, milliseconds * 1e3 / kLaunches);
  }
  return fastest;
}

}  // namespace

absl::StatusOr<double> MicrosecondsInGraph(cudaStream_t stream, const std::function<absl::Status()>& launch) {
  // What is loaded or allocated at the first call is not part of the capture, where it would be forbidden.
  RETURN_IF_ERROR(launch());
  RETURN_IF_ERROR(CudaStatus(cudaStreamSynchronize(stream), "wait for the first launch"));
  ASSIGN_OR_RETURN(const Owned<cudaGraphExec_t> graph, Capture(stream, launch));
  return Replay(stream, graph.get());
}

}  // namespace lockstep
