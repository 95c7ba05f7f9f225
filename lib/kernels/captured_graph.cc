#include "lib/kernels/captured_graph.h"

#include "lib/base/status_macros.h"
#include "lib/kernels/cuda_status.h"

namespace lockstep {

absl::StatusOr<CapturedGraph> CaptureGraph(cudaStream_t stream, const std::function<absl::Status()>& launch) {
  RETURN_IF_ERROR(CudaStatus(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin a capture"));
  const absl::Status launched = launch();
  cudaGraph_t graph = nullptr;
  const absl::Status ended = CudaStatus(cudaStreamEndCapture(stream, &graph), "end a capture");
  cudaGraphExec_t executable = nullptr;
  absl::Status made;
  if (launched.ok() && ended.ok()) {
    // Each kernel with the priority of the stream it was captured on, rather than all with that of the stream of the replay.
    made = CudaStatus(cudaGraphInstantiate(&executable, graph, cudaGraphInstantiateFlagUseNodePriority),
                      "instantiate a graph");
  }
  if (graph != nullptr) {
    (void)cudaGraphDestroy(graph);
  }
  RETURN_IF_ERROR(launched);
  RETURN_IF_ERROR(ended);
  RETURN_IF_ERROR(made);
  return CapturedGraph(executable);
}

}  // namespace lockstep
