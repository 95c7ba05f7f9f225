#include "lib/train/step_graph.h"

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

constexpr int kWarmUps = 3;  // like torch.cuda.make_graphed_callables

class CudaStepGraph : public StepGraph {
 public:
  // Captures the work on the current stream. If the work fails, the capture is ended first, because a stream left in
  // capture mode would fail every later call. Other threads, such as a communicator's watchdog, may call CUDA
  // meanwhile.
  absl::Status Capture(const Work& work, at::cuda::MempoolId_t pool) {
    graph_.capture_begin(pool, cudaStreamCaptureModeThreadLocal);
    absl::Status status;
    try {
      status = work.run();
    } catch (...) {
      EndBroken();
      throw;
    }
    if (!status.ok()) {
      EndBroken();
      return status;
    }
    graph_.capture_end();
    return absl::OkStatus();
  }

  void Replay() override { graph_.replay(); }
  at::cuda::MempoolId_t pool() const { return graph_.pool(); }

 private:
  void EndBroken() {
    try {
      graph_.capture_end();
    } catch (const c10::Error&) {  // same cause as the first error
    }
  }

  mutable at::cuda::CUDAGraph graph_;  // pool() is not const
};

}  // namespace

absl::StatusOr<std::unique_ptr<StepGraph>> StepGraph::Capture(c10::Device device, const Work& work,
                                                              const StepGraph* shared) {
  const c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device.index());
  c10::cuda::device_synchronize();
  const c10::cuda::CUDAStreamGuard guard(stream);
  for (int i = 0; i < kWarmUps; ++i) {
    work.before();
    RETURN_IF_ERROR(work.run());
  }
  work.before();
  c10::cuda::device_synchronize();
  // Memory of the warm-up runs is cached, but a capture can take memory only from the device.
  c10::cuda::CUDACachingAllocator::emptyCache();
  auto graph = std::make_unique<CudaStepGraph>();
  const auto* other = static_cast<const CudaStepGraph*>(shared);
  RETURN_IF_ERROR(graph->Capture(work, other != nullptr ? other->pool() : at::cuda::MempoolId_t{0, 0}));
  return graph;
}

}  // namespace lockstep
